// parts3d.js: what the scenes of three.js share: glass, textures, where the eye is.
import * as THREE from 'three';

// The camera of three.js as Camera.frame() says; `radius` is that of what is worth seeing.
export function aim(eye, sight, radius) {
  eye.fov = sight.angle*180/Math.PI;
  eye.aspect = sight.width/sight.height;
  eye.near = Math.max(0.01*sight.distance, sight.distance - 20*radius);
  eye.far = sight.distance + 20*radius;
  eye.position.fromArray(sight.eye);
  eye.up.fromArray(sight.top);
  eye.lookAt(vector(sight.target));
  eye.updateProjectionMatrix();
}

// A shell is clear in the middle and milky at its rim.
export function glass(side, clear, milky) {
  return new THREE.ShaderMaterial({
    side, transparent: true, depthWrite: false,
    uniforms: {colour: {value: new THREE.Color()}, clear: {value: clear}, milky: {value: milky}},
    vertexShader: `
      varying vec3 across, sight;
      void main() {
        vec4 place = modelViewMatrix*vec4(position, 1.0);
        across = normalMatrix*normal;
        sight = -place.xyz;
        gl_Position = projectionMatrix*place;
      }`,
    fragmentShader: `
      uniform vec3 colour;
      uniform float clear, milky;
      varying vec3 across, sight;
      void main() {
        float rim = 1.0 - abs(dot(normalize(across), normalize(sight)));
        gl_FragColor = vec4(colour, clear + milky*rim*rim*rim);
        #include <colorspace_fragment>
      }`,
  });
}

export function texture(canvas, times = 1) {
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  map.anisotropy = 8;
  map.wrapS = map.wrapT = THREE.RepeatWrapping;
  map.repeat.set(times, times);
  return map;
}

export function place(mesh, position, [w, x, y, z], size) {
  mesh.position.fromArray(position);
  mesh.quaternion.set(x, y, z, w);
  mesh.scale.fromArray(size);
}

export const plain = geometry => new THREE.Mesh(geometry, new THREE.MeshBasicMaterial());
export const vector = a => new THREE.Vector3(...a);
