// liquid3d.js: a liquid drawn with three.js: particles as points that a shader makes round, cells as
// a texture, the surface as a texture in the plane and as triangles in space, solids as meshes.
import * as THREE from 'three';
import {LIQUID, isGrid} from './fluid.js';
import {lean} from './lean.js';
import {aim, glass, place, texture, vector} from './parts3d.js';
import * as pattern from './patterns.js';
import {HOLLOW, PLANE, SPHERE, TANK, edgesOf, footOf, holds, outline} from './solids.js';
import {Surface, UNIT} from './surface.js';
import {Surface3D} from './surface3d.js';
import {across, add, cross} from './vector.js';

export class Liquid3D {
  constructor(canvas, recording) {
    this.recording = recording;
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true});
    this.scene = new THREE.Scene();
    this.eye = new THREE.PerspectiveCamera();
    this.radius = recording.view.radius;
    this.themed = [];                       // functions that take the colours of the page
    this.moving = [];                       // functions that take a frame
    this.blocks = [];                       // materials of solids that hide what is in them
    this.palettes = {};
    this.#addParticles();
    if (recording.flat) this.#addSurface();
    else if (recording.surface) this.#addSkin();
    if (recording.fields) this.#addCells();
    this.#addSeparating();
    this.#addTank();
    recording.solids.forEach((solid, s) => this.#addSolid(solid, s));
    if (!recording.flat) this.#addLights();
    this.drawn = null;
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  retheme(colours) {
    this.colours = colours;
    this.scene.background = new THREE.Color(colours.sky);
    for (const change of this.themed) change(colours);
    this.drawn = null;
  }

  #palette(mode) {
    if (this.palettes[mode]) return this.palettes[mode];
    const rgb = this.recording.palette(mode), bytes = new Uint8Array(4*256).fill(255);
    for (let k = 0; k < 256; k++) for (let c = 0; c < 3; c++) bytes[4*k + c] = 255*rgb[3*k + c];
    const map = new THREE.DataTexture(bytes, 256, 1);
    map.colorSpace = THREE.SRGBColorSpace;
    map.needsUpdate = true;
    this.palettes[mode] = map;
    return map;
  }

  #lay(mesh, order) {                       // flat scenes are painted in this order
    mesh.renderOrder = order;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  // ------------------------------------------------------------------------------------- particles

  #addParticles() {
    const {most, flat} = this.recording, room = Math.max(most, 1);
    const cloud = this.cloud = new THREE.BufferGeometry();
    const attribute = (name, array, size, whole) => {
      const made = new THREE.BufferAttribute(array, size, whole);
      made.setUsage(THREE.DynamicDrawUsage);
      cloud.setAttribute(name, made);
    };
    attribute('position', new Float32Array(3*room), 3, false);
    attribute('value', new Uint8Array(room), 1, true);
    if (!flat) attribute('lean', new Int8Array(4*room), 4, true);
    this.dots = new THREE.ShaderMaterial({
      transparent: flat, depthTest: !flat, depthWrite: !flat,
      uniforms: {palette: {value: null}, scale: {value: 1}},
      vertexShader: flat ? FLAT_VERTEX : BALL_VERTEX,
      fragmentShader: flat ? FLAT_FRAGMENT : BALL_FRAGMENT,
    });
    this.points = this.#lay(new THREE.Points(cloud, this.dots), 0);
  }

  #updateParticles(now, bytes) {
    const {flat, spacing} = this.recording, {attributes} = this.cloud, [xs, ys, zs] = now.x;
    const to = attributes.position.array;
    for (let p = 0; p < now.count; p++) {
      to[3*p] = spacing*xs[p];
      to[3*p + 1] = spacing*ys[p];
      to[3*p + 2] = flat ? 0 : spacing*zs[p];
    }
    attributes.value.array.set(bytes);
    if (!flat) lean(this.recording, now, attributes.lean.array);
    for (const part of Object.values(attributes)) part.needsUpdate = true;
    this.cloud.setDrawRange(0, now.count);
  }

  // --------------------------------------------------------------------------- surface and cells

  // A rectangle from cell (x, y) to (u, v) of a flat scene.
  #sheet(x, y, u, v, material, order) {
    const {spacing: h} = this.recording;
    const mesh = new THREE.Mesh(new THREE.PlaneGeometry((u - x)*h, (v - y)*h), material);
    mesh.position.set((x + u)/2*h, (y + v)/2*h, 0);
    return this.#lay(mesh, order);
  }

  #addSurface() {
    this.field = new Surface(this.recording);
    const {width, height, per, texture: bytes} = this.field, half = 0.5/per;
    const map = this.fieldMap = new THREE.DataTexture(bytes, width, height);
    map.minFilter = map.magFilter = THREE.LinearFilter;
    this.skin = new THREE.ShaderMaterial({
      transparent: true, depthTest: false, uniforms: {map: {value: map}, palette: {value: null}},
      vertexShader: `
        varying vec2 at;
        void main() {
          at = uv;
          gl_Position = projectionMatrix*modelViewMatrix*vec4(position, 1.0);
        }`,
      fragmentShader: `
        uniform sampler2D map, palette;
        varying vec2 at;
        void main() {
          vec4 field = texture2D(map, at);
          float depth = field.r*255.0/${UNIT}.0 - 128.0/${UNIT}.0, soft = 0.75*fwidth(depth) + 1e-4;
          float inside = smoothstep(-soft, soft, depth);
          gl_FragColor = vec4(texture2D(palette, vec2((field.g*255.0 + 0.5)/256.0, 0.5)).rgb, inside);
          #include <colorspace_fragment>
        }`,
    });
    this.surface = this.#sheet(-half, -half, (width - 0.5)/per, (height - 0.5)/per, this.skin, 0);
  }

  // In space: triangles, with arrays that grow.
  #addSkin() {
    this.net = new Surface3D(this.recording);
    this.skin = new THREE.ShaderMaterial({
      side: THREE.DoubleSide, uniforms: {palette: {value: null}},
      vertexShader: SKIN_VERTEX, fragmentShader: SKIN_FRAGMENT});
    this.surface = this.#lay(new THREE.Mesh(new THREE.BufferGeometry(), this.skin), 0);
  }

  #updateSkin(frame, mode) {
    const {recording, net} = this;
    if (this.skinned === `${frame} ${mode}`) return;
    this.skinned = `${frame} ${mode}`;
    net.update(recording.frame(frame), recording.bytes(frame, mode));
    const form = this.surface.geometry, old = form.getAttribute('position')?.array;
    if (old !== net.position || form.index?.array !== net.index) {      // they have grown
      const attribute = (array, size, whole) => {
        const made = new THREE.BufferAttribute(array, size, whole);
        made.setUsage(THREE.DynamicDrawUsage);
        return made;
      };
      form.dispose();
      form.setAttribute('position', attribute(net.position, 3, false));
      form.setAttribute('outwards', attribute(net.normal, 4, true));
      form.setAttribute('value', attribute(net.value, 1, true));
      form.setIndex(attribute(net.index, 1, false));
    }
    for (const part of [...Object.values(form.attributes), form.index]) {
      part.clearUpdateRanges();
      part.addUpdateRange(0, part === form.index ? 3*net.triangles : part.itemSize*net.vertices);
      part.needsUpdate = true;
    }
    form.setDrawRange(0, 3*net.triangles);
  }

  // In the plane all of them, in space a slice with its edges.
  #addCells() {
    const {flat} = this.recording;
    const material = new THREE.MeshBasicMaterial(
      {transparent: true, depthTest: !flat, side: THREE.DoubleSide, alphaTest: 0.5});
    this.cells = this.#lay(new THREE.Mesh(new THREE.BufferGeometry(), material), 0);
    if (flat) return;
    this.rim = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.cells.add(this.rim);
    this.themed.push(colours => this.rim.material.color.set(colours.accent));
  }

  #placeCells(cut) {
    const {recording, cells} = this, {width, height, axis} = cut, {material} = cells;
    const corners = [[0, 0], [width, 0], [width, height], [0, height]].map(([i, j]) =>
      recording.onCut(cut, i, j));
    if (recording.flat) for (const corner of corners) corner[2] = 0;
    const form = cells.geometry;
    const position = new Float32Array(corners.flat());
    if (!material.map || this.cutAxis !== axis) {
      this.cutAxis = axis;
      material.map?.dispose();
      material.map = new THREE.DataTexture(new Uint8Array(4*width*height), width, height);
      material.map.colorSpace = THREE.SRGBColorSpace;
      material.needsUpdate = true;
      form.setAttribute('position', new THREE.BufferAttribute(position, 3));
      form.setAttribute('uv', new THREE.BufferAttribute(
        Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1), 2));
      form.setIndex([0, 1, 2, 0, 2, 3]);
      this.rim?.geometry.setAttribute('position', form.getAttribute('position'));
    }
    form.getAttribute('position').array.set(position);
    form.getAttribute('position').needsUpdate = true;
  }

  #updateCells({type, cellPressure}, cut) {
    this.#placeCells(cut);
    const {map} = this.cells.material, {data} = map.image;
    const palette = this.recording.palette('pressure'), {width, height, base, across, up} = cut;
    for (let j = 0, to = 0; j < height; j++) for (let i = 0; i < width; i++, to += 4) {
      const cell = base + i*across + j*up, colour = 3*cellPressure[cell];
      data[to + 3] = type[cell] === LIQUID ? 255 : 0;
      for (let c = 0; c < 3; c++) data[to + c] = 255*palette[colour + c];
    }
    map.needsUpdate = true;
  }

  #addSeparating() {
    const {flat, spacing: h} = this.recording, room = this.room = 20000;
    const shape = flat ? new THREE.PlaneGeometry(0.8*h, 0.8*h) : new THREE.BoxGeometry(h, h, h);
    this.marks = this.#lay(new THREE.InstancedMesh(shape, new THREE.MeshBasicMaterial(
      {transparent: true, depthTest: false}), room), 6);
    this.themed.push(colours => this.marks.material.color.set(colours.separating));
  }

  // Of a slice those in it, as thin as it is.
  #updateSeparating(now, shown, cut) {
    const {recording} = this, {nx, ny, flat, spacing: h} = recording, matrix = new THREE.Matrix4();
    let count = 0;
    if (cut) matrix.makeScale(...[0, 1, 2].map(c => c === cut.axis ? 0.05 : 1));
    for (const cell of shown ? now.separating : []) {
      if (count === this.room) break;
      if (cut && !recording.isCut(cell, cut)) continue;
      const place = [cell % nx, Math.floor(cell/nx) % ny, Math.floor(cell/(nx*ny))];
      const at = place.map(i => (i + 0.5)*h);
      if (flat) at[2] = 0;
      if (cut) at[cut.axis] = recording.onCut(cut, 0, 0)[cut.axis];
      matrix.setPosition(...at);
      this.marks.setMatrixAt(count++, matrix);
    }
    this.marks.material.opacity = flat || cut ? 0.75 : 0.5;
    this.marks.count = count;
    this.marks.visible = count > 0;
    this.marks.instanceMatrix.needsUpdate = true;
  }

  // ---------------------------------------------------------------------------------------- solids

  #addLights() {
    const side = across(this.recording.up), front = cross(this.recording.up, side);
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#9a8f86', 1.6));
    const sun = new THREE.DirectionalLight('#fff8ee', 2);
    sun.position.fromArray(add(add(this.recording.up, side, 0.65), front, -0.25));
    this.scene.add(sun);
  }

  // What is outside of the grid is solid. In space one sees through it: floor and edges.
  #addTank() {
    const {flat, box} = this.recording, [w, h, d] = box;
    if (flat) {
      const far = 20*Math.hypot(w, h);
      this.#addShape([[-far, -far], [far, -far], [far, far], [-far, far]],
                     [[0, 0], [w, 0], [w, h], [0, h]], 4);   // over the lines of solids
      return;
    }
    const lines = new THREE.BufferGeometry().setFromPoints(edgesOf(box).flat().map(vector));
    const edges = new THREE.LineSegments(lines, new THREE.LineBasicMaterial());
    this.themed.push(colours => edges.material.color.set(colours.shell));
    this.#lay(edges, 0);
    const reach = 3*this.radius;
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(2*reach, 2*reach),
      new THREE.MeshBasicMaterial({map: texture(pattern.floor(), 24), transparent: true,
                                   alphaMap: texture(pattern.fade()), depthWrite: false}));
    floor.rotation.x = -Math.PI/2;
    floor.position.set(w/2, -0.003*h, d/2);
    this.themed.push(colours => floor.material.color.set(colours.ground));
    this.#lay(floor, -2);
  }

  #addSolid(solid, s) {
    if (this.recording.flat) return this.#addFlat(solid, s);
    const made = this.#solidOf(solid);
    this.#lay(made, holds(solid) || solid.shape === PLANE ? 3 : 0);
    if (solid.shape === PLANE) return made.position.fromArray(footOf(solid, this.recording.box));
    const put = (frame, blend) => {
      const {position, orientation: [x, y, z, w]} = this.recording.pose(s, frame, blend);
      place(made, position, [w, x, y, z], [1, 1, 1]);
    };
    put(0, 0);
    if (solid.slot >= 0) this.moving.push(put);
  }

  // What holds the liquid is of glass.
  #solidOf({shape, extent}) {
    const sides = extent.map(x => 2*x), reach = 2*this.radius;
    if (shape === HOLLOW) {
      const shell = new THREE.Mesh(new THREE.SphereGeometry(extent[0], 96, 64),
                                   glass(THREE.DoubleSide, 0.03, 0.3));
      this.themed.push(colours => shell.material.uniforms.colour.value.set(colours.shell));
      return shell;
    }
    if (shape === PLANE || shape === TANK) {
      const form = shape === PLANE ? new THREE.PlaneGeometry(reach, reach)
                                   : new THREE.BoxGeometry(...sides);
      if (shape === PLANE)
        form.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(
          new THREE.Vector3(0, 0, 1), vector(extent).normalize()));
      const pane = new THREE.Mesh(form, new THREE.MeshBasicMaterial(
        {transparent: true, opacity: 0.12, depthWrite: false, side: THREE.DoubleSide}));
      const edges = new THREE.LineSegments(new THREE.EdgesGeometry(form),
                                           new THREE.LineBasicMaterial());
      if (shape === TANK) pane.add(edges);
      this.themed.push(colours => {
        pane.material.color.set(colours.shell);
        edges.material.color.set(colours.shell);
      });
      return pane;
    }
    const form = shape === SPHERE ? new THREE.SphereGeometry(extent[0], 64, 48)
                                  : new THREE.BoxGeometry(...sides);
    const mesh = new THREE.Mesh(form, new THREE.MeshStandardMaterial({roughness: 0.8}));
    this.themed.push(colours => mesh.material.color.set(colours.ground));
    this.blocks.push(mesh.material);
    return mesh;
  }

  #addFlat(solid, s) {
    const {box} = this.recording, far = 20*Math.hypot(...box);
    const around = [[-far, -far], [far, -far], [far, far], [-far, far]];
    const points = (frame, blend) => outline(solid, this.recording.pose(s, frame, blend), box);
    const start = points(0, 0), order = 2 + 0.01*s;
    const parts = this.#addShape(holds(solid) ? around : start, holds(solid) ? start : null, order);
    if (solid.slot < 0) return;
    this.moving.push((frame, blend) => {
      const now = points(frame, blend);
      const geometry = holds(solid) ? shapeOf(around, now) : shapeOf(now);
      parts.fill.geometry.dispose();
      parts.fill.geometry = geometry;
      parts.line.geometry.setFromPoints(now.map(([x, y]) => new THREE.Vector3(x, y, 0)));
    });
  }

  #addShape(points, hole, order) {
    const fill = new THREE.Mesh(shapeOf(points, hole),
                                new THREE.MeshBasicMaterial({depthTest: false, transparent: true}));
    const line = new THREE.LineLoop(
      new THREE.BufferGeometry().setFromPoints((hole ?? points).map(([x, y]) =>
        new THREE.Vector3(x, y, 0))),
      new THREE.LineBasicMaterial({depthTest: false, transparent: true}));
    this.themed.push(colours => {
      fill.material.color.set(colours.solid);
      line.material.color.set(colours.shell);
    });
    this.#lay(fill, order);
    this.#lay(line, order + 0.005);   // what comes later covers it
    return {fill, line};
  }

  // --------------------------------------------------------------------------------------- drawing

  // state: {frame, blend, mode, marks, show, cut}; sight: from Camera.frame()
  draw(state, sight) {
    const {recording} = this, {frame, blend, mode, marks, show, cut} = state;
    const key = `${frame} ${blend} ${mode} ${marks} ${show} ${cut.axis} ${cut.part}`;
    if (key !== this.drawn && recording.frames) {
      this.#update(recording.moment(frame, blend), state);
      this.drawn = key;
    }
    this.dots.uniforms.scale.value = 2*this.ratio*sight.focal*recording.dotRadius;
    aim(this.eye, sight, this.radius);
    this.renderer.render(this.scene, this.eye);
  }

  #update(now, {frame, blend, mode, marks, show, cut}) {
    const {recording} = this, bytes = recording.bytes(frame, mode), {flat} = recording;
    const grid = isGrid(show) && recording.fields;
    const skin = show === 'surface' && Boolean(this.surface);
    const slice = grid ? recording.cut(flat ? {axis: 2, part: 0} : cut) : null;
    this.points.visible = !grid && !skin;
    if (!grid && !skin) this.#updateParticles(now, bytes);
    if (this.surface) this.surface.visible = skin;
    if (skin && !flat) this.#updateSkin(recording.nearest(frame, blend), mode);
    if (skin && flat) {
      this.field.update(now, bytes);
      this.fieldMap.needsUpdate = true;
    }
    if (this.cells) this.cells.visible = grid;
    if (grid) this.#updateCells(now, slice);
    for (const block of this.blocks)        // one sees the slice through them
      Object.assign(block, {transparent: grid, opacity: grid ? 0.35 : 1, depthWrite: !grid});
    this.#updateSeparating(now, marks, flat ? null : slice);
    for (const move of this.moving) move(frame, blend);
    this.dots.uniforms.palette.value = this.#palette(mode);
    if (this.skin) this.skin.uniforms.palette.value = this.#palette(mode);
  }
}

function shapeOf(points, hole) {
  const list = from => from.map(([x, y]) => new THREE.Vector2(x, y));
  const shape = new THREE.Shape(list(points));
  if (hole) shape.holes.push(new THREE.Path(list(hole)));
  return new THREE.ShapeGeometry(shape);
}

const FLAT_VERTEX = `
  attribute float value;
  uniform float scale;
  varying float shade, size;
  void main() {
    vec4 place = modelViewMatrix*vec4(position, 1.0);
    shade = (value*255.0 + 0.5)/256.0;
    size = max(scale/-place.z, 1.2);
    gl_PointSize = size + 1.0;
    gl_Position = projectionMatrix*place;
  }`;

const FLAT_FRAGMENT = `
  uniform sampler2D palette;
  varying float shade, size;
  void main() {
    float away = length(gl_PointCoord - 0.5)*(size + 1.0);
    float cover = clamp(0.5*size + 0.5 - away, 0.0, 1.0);
    gl_FragColor = vec4(texture2D(palette, vec2(shade, 0.5)).rgb, cover);
    #include <colorspace_fragment>
  }`;

const BALL_VERTEX = `
  attribute float value;
  attribute vec4 lean;
  uniform float scale;
  varying float shade;
  varying vec3 facing;
  void main() {
    vec4 place = modelViewMatrix*vec4(position, 1.0);
    shade = (value*255.0 + 0.5)/256.0;
    facing = normalMatrix*lean.xyz;
    gl_PointSize = max(scale/-place.z, 1.5);
    gl_Position = projectionMatrix*place;
  }`;

const SKIN_VERTEX = `
  attribute float value;
  attribute vec4 outwards;
  varying float shade;
  varying vec3 facing, sight;
  void main() {
    vec4 place = modelViewMatrix*vec4(position, 1.0);
    shade = (value*255.0 + 0.5)/256.0;
    facing = normalMatrix*outwards.xyz;
    sight = -place.xyz;
    gl_Position = projectionMatrix*place;
  }`;

// As that of particles, and glossy.
const SKIN_FRAGMENT = `
  uniform sampler2D palette;
  varying float shade;
  varying vec3 facing, sight;
  void main() {
    vec3 normal = normalize(gl_FrontFacing ? facing : -facing), eye = normalize(sight);
    vec3 sun = normalize(vec3(-0.45, 0.8, 0.45));
    float light = 0.42 + 0.12*normal.y + 0.18*normal.z + 0.42*max(dot(normal, sun), 0.0);
    float glint = pow(max(dot(normal, normalize(sun + eye)), 0.0), 60.0);
    float rim = pow(1.0 - abs(dot(normal, eye)), 4.0);
    vec3 colour = texture2D(palette, vec2(shade, 0.5)).rgb;
    gl_FragColor = vec4(mix(light*colour, vec3(0.9), 0.15*rim) + 0.3*glint, 1.0);
    #include <colorspace_fragment>
  }`;

// The light of a ball and of the surface that it belongs to.
const BALL_FRAGMENT = `
  uniform sampler2D palette;
  varying float shade;
  varying vec3 facing;
  void main() {
    vec2 at = 2.0*gl_PointCoord - 1.0;
    float square = dot(at, at);
    if (square > 1.0) discard;
    vec3 ball = vec3(at.x, -at.y, sqrt(1.0 - square));
    vec3 outwards = facing.z < 0.0 ? -facing : facing;   // nobody sees the other side
    vec3 normal = normalize(0.45*ball + outwards + vec3(0.0, 0.0, 0.15));
    vec3 sun = normalize(vec3(-0.45, 0.8, 0.45));
    float light = 0.42 + 0.12*normal.y + 0.18*normal.z + 0.42*max(dot(normal, sun), 0.0);
    float glint = pow(max(dot(normal, normalize(sun + vec3(0.0, 0.0, 1.0))), 0.0), 40.0);
    vec3 colour = texture2D(palette, vec2(shade, 0.5)).rgb;
    gl_FragColor = vec4(light*colour + 0.25*glint, 1.0);
    #include <colorspace_fragment>
  }`;
