// SPDX-License-Identifier: Apache-2.0
// `window.pliant`: a small door for tests and the curious. It shows; what it changes are things that a
// person could click as well.
import type { App } from './app.ts';
import { LiveMode } from './mode_live.ts';
import { ViewMode } from './mode_view.ts';
import { takePicture } from './snapshot.ts';
import { stopwatch } from './stopwatch.ts';

export function inspector(app: App): object {
  const { stage, look } = app;
  return {
    get mode() {
      return app.mode instanceof LiveMode ? 'live' : app.mode instanceof ViewMode ? 'view' : '';
    },
    get session() {
      return app.supervisor.session;
    },
    get counters() {
      return {
        framesShown: app.framesShown,
        pictures: app.pictures,
        fps: app.meter.rate(performance.now()),
        cacheBytes: app.mode?.cacheBytes ?? 0,
        sequence: stage.frame?.sequence ?? -1,
        time: stage.frame?.time ?? 0,
        geometries: stage.renderer.info.memory.geometries,
        textures: stage.renderer.info.memory.textures,
        ratio: stage.level.ratio,
        isDraft: stage.level.isDraft,
      };
    },
    // milliseconds of the page's own work since the start
    get work() {
      return { ...stopwatch.milliseconds };
    },
    get camera() {
      return app.view().camera;
    },
    get look() {
      return { field: look.field, range: look.range, locked: look.locked !== null, map: look.map, dark: look.dark, section: look.section, hidden: [...look.hidden], follows: look.follows };
    },
    get state() {
      return app.mode instanceof LiveMode ? app.mode.state : null;
    },
    get settings() {
      return app.mode instanceof LiveMode ? app.mode.settings : [];
    },
    get playing() {
      return app.mode instanceof ViewMode && app.mode.head.playing;
    },
    // all frames of the run are kept in the page
    get isLoaded() {
      return app.mode instanceof ViewMode && app.mode.isLoaded;
    },
    parts: () => stage.partsShown().map((part) => part.part.name),
    positions: (name: string) => stage.partNamed(name)?.points ?? null,
    onScreen: (place: [number, number, number]) => stage.onScreen(place),
    pick(x: number, y: number) {
      const hit = stage.pick(x, y);
      return hit ? { body: hit.part.part.name, point: hit.point, place: hit.place } : null;
    },
    selectField: (name: string) => look.selectField(app.colors.info(name)),
    loadView: (text: string) => app.loadView(text),
    view: () => app.view(),
    // in full, or as it is drawn while something moves on a slow machine
    picture: (isDraft = false) => takePicture(stage, look, app.colors.title(), { ratio: 1, isDraft }).toDataURL('image/png'),
    loseGraphics: () => stage.renderer.forceContextLoss(),
    restoreGraphics: () => stage.renderer.forceContextRestore(),
  };
}
