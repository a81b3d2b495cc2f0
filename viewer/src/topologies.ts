// SPDX-License-Identifier: Apache-2.0
// Topologies by name. Few runs have more than one a body; those that no frame has used for long go.
import { ByteCache } from './cache.ts';
import type { Frame, Part, Topology } from './packets.ts';

const LIMIT = 256 << 20; // bytes

export class Topologies {
  private readonly known = new ByteCache<string, Topology>(LIMIT);

  add(topology: Topology): void {
    this.known.put(topology.name, topology);
  }

  of(part: Part): Topology | null {
    return (part.kind === 'mesh' && this.known.get(part.topology)) || null;
  }

  // Numbers of the parts of a frame whose topology is not known.
  missing(frame: Frame): number[] {
    return frame.parts.flatMap((part, i) => (part.kind === 'mesh' && !this.known.get(part.topology) ? [i] : []));
  }

  get bytes(): number {
    return this.known.bytes;
  }

  clear(): void {
    this.known.clear();
  }
}
