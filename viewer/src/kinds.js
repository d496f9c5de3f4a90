// kinds.js: what the page offers for recordings of bodies and of liquids.
import {Fluid} from './fluid.js';
import {Liquid2D} from './liquid2d.js';
import {Liquid3D} from './liquid3d.js';
import {decode, unpack} from './payload.js';
import {Recording} from './recording.js';
import {Scene2D} from './scene2d.js';
import {Scene3D} from './scene3d.js';

// scenes: the renderers with and without WebGL. modes: the quantities that colours can show.
// marks: what the check box adds to the picture.
export const KINDS = {
  contact: {
    Recording, scenes: [Scene3D, Scene2D], modes: ['group', 'speed', 'impulse'], shows: () => [],
    marks: 'forces', marksText: 'show contact forces as arrows'},
  fluid: {
    Recording: Fluid, scenes: [Liquid3D, Liquid2D],
    modes: ['speed', 'pressure'],
    shows: ({flat, fields, surface}) =>
      ['particles', ...(flat || surface ? ['surface'] : []),
       ...(fields ? [flat ? 'grid' : 'slice'] : [])],
    marks: 'separating', marksText: 'mark cells where the liquid leaves a wall'},
};

export const kindOf = recording => recording.data.meta.kind === 'fluid' ? KINDS.fluid
                                                                        : KINDS.contact;

export async function open(base64) {
  const data = decode(await unpack(base64));
  const {Recording: Made} = data.meta.kind === 'fluid' ? KINDS.fluid : KINDS.contact;
  return new Made(data);
}
