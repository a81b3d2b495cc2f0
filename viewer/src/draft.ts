// SPDX-License-Identifier: Apache-2.0
// The surface while it moves on a machine that draws slowly: light is reckoned at the points of the mesh, and a pixel costs next to
// nothing. Everything is in the numbers of the screen (sRGB): a product of lights is nearly one of these.
import { Color, DoubleSide, ShaderMaterial } from 'three';
import { LIGHT, type Shading } from './shading.ts';

const VERTEX = /* glsl */ `
#include <common>
#include <clipping_planes_pars_vertex>
attribute float value;
uniform vec3 skyColor;
uniform vec3 groundColor;
uniform float keyLight;
uniform vec3 upDirection;
uniform vec3 keyDirection;
varying float vValue;
flat varying float vWhole;
varying vec3 vFront;
varying vec3 vBack;
vec3 lightOn(vec3 side) {
  vec3 light = mix(groundColor, skyColor, 0.5 * dot(side, upDirection) + 0.5) + keyLight * max(0.0, dot(side, keyDirection));
  return pow(light * RECIPROCAL_PI, vec3(1.0 / 2.2));
}
void main() {
  vValue = value;
  vWhole = value;
  vFront = lightOn(normal);
  vBack = lightOn(-normal);
  vec4 mvPosition = viewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}
`;

const FRAGMENT = /* glsl */ `
#include <clipping_planes_pars_fragment>
uniform sampler2D screenMap;
uniform vec2 colorRange;
uniform float colorCategories;
uniform float colorMode;
uniform vec3 plainColor;
uniform vec3 noColor;
uniform float opacity;
varying float vValue;
flat varying float vWhole;
varying vec3 vFront;
varying vec3 vBack;
vec3 screenColor() {
  if (colorMode < 0.5) return plainColor;
  if (colorMode > 1.5) return noColor;
  if (abs(vValue) > 1e30) return vec3(1.0, 0.0, 0.78);
  if (colorCategories > 0.5) return texture2D(screenMap, vec2((mod(floor(vWhole + 0.5), colorCategories) + 0.5) / colorCategories, 0.5)).rgb;
  return texture2D(screenMap, vec2((vValue - colorRange.x) / max(colorRange.y - colorRange.x, 1e-35), 0.5)).rgb;
}
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = vec4(screenColor() * (gl_FrontFacing ? vFront : vBack), opacity);
}
`;

export function draftMaterial(shading: Shading, color: Color, mode: { value: number }): ShaderMaterial {
  const uniforms = {
    ...shading.uniforms, colorMode: mode, opacity: { value: 1 },
    plainColor: { value: color.clone().convertLinearToSRGB() },
    noColor: { value: shading.uniforms.noValueColor.value.clone().convertLinearToSRGB() },
    skyColor: { value: LIGHT.sky.clone().multiplyScalar(LIGHT.hemisphere) },
    groundColor: { value: LIGHT.ground.clone().multiplyScalar(LIGHT.hemisphere) },
    keyLight: { value: LIGHT.key },
  };
  return new ShaderMaterial({
    uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, clipping: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
  });
}
