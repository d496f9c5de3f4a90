// scene3d.js: a recording drawn with three.js: instanced bodies, a shadow, shells to look into.
import * as THREE from 'three';
import {BOX, HOLLOW, PLANE, SPHERE} from './recording.js';
import {groupColour} from './colours.js';
import {aim, glass, place, plain, texture, vector} from './parts3d.js';
import * as pattern from './patterns.js';
import {across, add, cross, dot, scale} from './vector.js';

const ARROW_LIMIT = 20000;                  // contacts of a frame that get an arrow

export class Scene3D {
  static supported() {
    try {
      return Boolean(document.createElement('canvas').getContext('webgl2'));
    } catch {
      return false;
    }
  }

  constructor(canvas, recording, paint) {
    this.recording = recording;
    this.paint = paint;
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true});
    this.renderer.shadowMap.enabled = !recording.flat;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.eye = new THREE.PerspectiveCamera();
    this.radius = recording.view.radius;
    this.bodies = [];                       // {mesh, slots}: instances, and who they are
    this.themed = [];                       // functions that take the colours of the page
    this.#addLights();
    this.#addMoving(SPHERE);
    this.#addMoving(BOX);
    this.#addStatic();
    this.#addArrows();
    this.drawn = null;
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  retheme(colours) {
    this.scene.background = new THREE.Color(colours.sky);
    for (const change of this.themed) change(colours);
    this.drawn = null;
  }

  // ---------------------------------------------------------------------------------------- lights

  #addLights() {
    const {flat, up, view} = this.recording;
    if (flat) return;                       // discs have their own shades
    const side = across(up), front = cross(up, side);
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#9a8f86', 1.5));
    const sun = new THREE.DirectionalLight('#fff8ee', 2.2);
    const from = add(add(up, side, 0.65), front, -0.25);       // the first view sees the shadows
    sun.position.fromArray(add(view.center, from, 2*view.radius));
    sun.target.position.fromArray(view.center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 4;
    const reach = 1.25*view.radius;
    Object.assign(sun.shadow.camera, {left: -reach, right: reach, top: reach, bottom: -reach,
                                      near: 0.3*view.radius, far: 4.5*view.radius});
    sun.shadow.normalBias = 0.004*view.radius;
    sun.shadow.bias = -0.0004;
    this.scene.add(sun, sun.target);
    this.lamp = new THREE.DirectionalLight('#dfe8ff', 0.55);   // at the eye: no side is black
    this.scene.add(this.lamp);
  }

  // ---------------------------------------------------------------------------------------- bodies

  #geometry(shape, count) {
    const {flat} = this.recording;
    if (shape === SPHERE) {
      if (flat) return new THREE.CircleGeometry(1, count > 2000 ? 24 : 48);
      const [around, down] = count > 2000 ? [16, 10] : [40, 24];
      return new THREE.SphereGeometry(1, around, down);
    }
    return flat ? new THREE.PlaneGeometry(2, 2) : new THREE.BoxGeometry(2, 2, 2);
  }

  #material(shape) {
    const {flat} = this.recording;
    const draw = shape === SPHERE ? flat ? pattern.disc : pattern.ball : pattern.side;
    const map = texture(draw());
    if (flat) return new THREE.MeshBasicMaterial({map, transparent: true, alphaTest: 0.02});
    return new THREE.MeshStandardMaterial({map, roughness: shape === SPHERE ? 0.42 : 0.75});
  }

  #addMoving(shape) {
    const slots = this.recording.moving.filter(body => body.shape === shape)
      .map(body => this.recording.slot[body.id]);
    if (!slots.length) return;
    const mesh = new THREE.InstancedMesh(this.#geometry(shape, slots.length), this.#material(shape),
                                         slots.length);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3*slots.length), 3);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    this.bodies.push({mesh, slots});
  }

  #addStatic() {
    this.planes = this.recording.bodies.filter(body => body.shape === PLANE);
    this.renderer.localClippingEnabled = true;
    for (const body of this.recording.bodies) {
      if (body.moving) continue;
      if (body.shape === PLANE) this.#addPlane(body);
      else if (body.shape === HOLLOW) this.#addShell(body);
      else this.#addFixed(body);
    }
  }

  #addFixed(body) {
    if (body.glass) return this.#addGlass(body);
    const mesh = new THREE.Mesh(this.#geometry(body.shape, 1), this.#material(body.shape));
    place(mesh, body.position, body.orientation, sizeOf(body, this.recording.flat));
    mesh.castShadow = mesh.receiveShadow = true;
    this.themed.push(colours => mesh.material.color.set(colours.ground));
    this.scene.add(mesh);
  }

  // A pane with its edges.
  #addGlass(body) {
    const box = this.#geometry(BOX, 1);
    const pane = new THREE.Mesh(box, new THREE.MeshBasicMaterial(
      {transparent: true, opacity: 0.12, depthWrite: false}));
    const edges = new THREE.LineSegments(new THREE.EdgesGeometry(box), new THREE.LineBasicMaterial(
      {transparent: true, opacity: 0.6, depthWrite: false}));
    for (const part of [pane, edges]) {
      place(part, body.position, body.orientation, sizeOf(body, false));
      part.renderOrder = 2;
      this.themed.push(colours => part.material.color.set(colours.shell));
      this.scene.add(part);
    }
  }

  // A piece of the plane around what is worth seeing. Floors are solid and fade out; walls are thin
  // as glass, and not there from behind.
  #addPlane({extent: normal, offset}) {
    const {flat, up, view} = this.recording;
    if (flat) return this.#addEdge(normal, offset);
    const others = this.planes.filter(plane => plane.extent !== normal);
    const floor = dot(normal, up) > 0.5, reach = (floor ? 4 : 1.3)*view.radius;
    const center = add(view.center, normal, offset - dot(view.center, normal));
    const material = floor
      ? new THREE.MeshStandardMaterial({map: texture(pattern.floor(), 24), roughness: 1,
                                        alphaMap: texture(pattern.fade()), transparent: true})
      : new THREE.MeshBasicMaterial({transparent: true, opacity: 0.14, depthWrite: false});
    // nothing of it is to be seen inside of what the other planes fill
    material.clippingPlanes = others.map(plane =>
      new THREE.Plane(vector(plane.extent), 1e-3*view.radius - plane.offset));
    const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2*reach, 2*reach), material);
    mesh.position.fromArray(center);
    const east = floor ? cross(across(up), normal) : across(normal);
    mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(
      vector(east), vector(cross(normal, east)), vector(normal)));
    mesh.receiveShadow = floor;
    mesh.renderOrder = floor ? -2 : 2;
    this.themed.push(colours => material.color.set(floor ? colours.ground : colours.shell));
    this.scene.add(mesh);
  }

  // In 2D: a line, and what is solid behind it, which covers the lines of other planes.
  #addEdge(normal, offset) {
    const {view: {center, radius}} = this.recording, line = 0.02*radius, long = 60*radius;
    const strip = (wide, from, z, name) => {
      const mesh = plain(new THREE.PlaneGeometry(wide, long));
      const middle = add(center, normal, offset - dot(center, normal) - from - wide/2);
      mesh.position.set(middle[0], middle[1], z*radius);
      mesh.rotation.z = Math.atan2(normal[1], normal[0]);
      this.themed.push(colours => mesh.material.color.set(colours[name]));
      this.scene.add(mesh);
    };
    strip(line, 0, -0.002, 'shell');
    strip(30*radius, line, -0.001, 'solid');
  }

  #addShell({extent, position}) {
    const [radius] = extent, {flat} = this.recording;
    if (flat) {
      const ring = plain(new THREE.RingGeometry(radius, radius*1.03, 128));
      ring.position.fromArray(position);
      this.themed.push(colours => ring.material.color.set(colours.shell));
      this.scene.add(ring);
      return;
    }
    const sphere = new THREE.SphereGeometry(radius, 96, 64);
    const shadow = new THREE.ShadowMaterial({side: THREE.BackSide, opacity: 0.22});
    const inner = new THREE.Mesh(sphere, shadow);
    inner.receiveShadow = true;
    inner.renderOrder = -1;
    const far = new THREE.Mesh(sphere, glass(THREE.BackSide, 0.10, 0.35));
    far.renderOrder = -1;
    const near = new THREE.Mesh(sphere, glass(THREE.FrontSide, 0.03, 0.55));
    near.renderOrder = 3;
    for (const mesh of [inner, far, near]) {
      mesh.position.fromArray(position);
      this.scene.add(mesh);
    }
    this.themed.push(colours => {
      for (const mesh of [far, near]) mesh.material.uniforms.colour.value.set(colours.shell);
    });
  }

  // -------------------------------------------------------------------------------------- contacts

  // Forces are seen through the bodies: what they say is inside of a heap.
  #addArrows() {
    const {first, frames} = this.recording;
    let most = 1;
    for (let f = 0; f < frames; f++) most = Math.max(most, first[f + 1] - first[f]);
    most = Math.min(most, ARROW_LIMIT);
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
    this.arrows = [shaft, head].map(geometry => {
      const material = new THREE.MeshBasicMaterial({depthTest: false, transparent: true});
      const mesh = new THREE.InstancedMesh(geometry, material, most);
      mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3*most), 3);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.scene.add(mesh);
      return mesh;
    });
    this.themed.push(colours => {
      this.forceColour = new THREE.Color(colours.force);
      this.badColour = new THREE.Color(colours.bad);
    });
    this.most = most;
  }

  #updateArrows(frame, shown) {
    const {recording, arrows: [shaft, head]} = this;
    const unit = 0.24*this.radius, thick = 0.007*this.radius;     // of a typical impulse
    const contact = {point: [0, 0, 0], direction: [0, 0, 0]};
    const up = new THREE.Vector3(0, 1, 0), way = new THREE.Vector3(), turn = new THREE.Quaternion();
    const from = new THREE.Vector3(), size = new THREE.Vector3(), matrix = new THREE.Matrix4();
    let count = 0;
    const last = shown ? recording.first[frame + 1] : 0;
    for (let i = recording.first[frame]; i < last && count < this.most; i++) {
      recording.push(i, contact);
      const length = unit*Math.min(contact.size/recording.typicalImpulse, 2);
      if (length < 0.004*this.radius) continue;
      way.fromArray(contact.direction);
      turn.setFromUnitVectors(up, way);
      from.fromArray(contact.point);
      if (recording.flat) from.z = 0.01*this.radius;
      const tip = Math.min(4*thick, 0.5*length);
      shaft.setMatrixAt(count, matrix.compose(from, turn, size.set(thick, length - tip, thick)));
      from.addScaledVector(way, length - tip);
      head.setMatrixAt(count, matrix.compose(from, turn, size.set(0.6*tip, tip, 0.6*tip)));
      for (const mesh of this.arrows)
        mesh.setColorAt(count, contact.certified ? this.forceColour : this.badColour);
      count++;
    }
    for (const mesh of this.arrows) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
    }
  }

  // --------------------------------------------------------------------------------------- drawing

  #updateBodies(exact, frame, mode) {
    const {recording} = this, colours = this.paint.update(mode, frame);
    const at = [0, 0, 0], turn = [0, 0, 0, 1], colour = new THREE.Color();
    const position = new THREE.Vector3(), quaternion = new THREE.Quaternion();
    const size = new THREE.Vector3(), matrix = new THREE.Matrix4();
    for (const {mesh, slots} of this.bodies) {
      slots.forEach((k, i) => {
        position.fromArray(recording.place(k, exact, at));
        quaternion.fromArray(recording.turn(k, exact, turn));
        size.fromArray(sizeOf(recording.moving[k], recording.flat));
        mesh.setMatrixAt(i, matrix.compose(position, quaternion, size));
        colour.setRGB(colours[3*k], colours[3*k + 1], colours[3*k + 2], THREE.SRGBColorSpace);
        mesh.setColorAt(i, colour);
      });
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
    }
  }

  // state: {frame, blend, mode, marks}; sight: from Camera.frame()
  draw(state, sight) {
    const {frame, blend, mode, marks: forces} = state, key = `${frame} ${blend} ${mode} ${forces}`;
    if (key !== this.drawn && this.recording.frames) {
      this.#updateBodies(frame + blend, frame, mode);
      this.#updateArrows(frame, forces);
      this.drawn = key;
    }
    aim(this.eye, sight, this.radius);
    if (this.lamp) {
      this.lamp.position.fromArray(sight.back);
      this.lamp.target.position.set(0, 0, 0);
    }
    this.renderer.render(this.scene, this.eye);
  }
}

function sizeOf({shape, extent}, flat) {
  if (shape === SPHERE) return [extent[0], extent[0], flat ? 1 : extent[0]];
  return flat ? [extent[0], extent[1], 1] : extent;
}
