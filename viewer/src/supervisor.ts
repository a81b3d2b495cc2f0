// SPDX-License-Identifier: Apache-2.0
// Keeps in touch with the program: finds it again after it was gone, and notices if it is another one.
import { Backoff, type Connection, HttpError } from './connection.ts';
import type { Session } from './protocol.ts';
import type { Notices } from './ui/notices.ts';

const GONE = 'The program has ended or cannot be reached; trying again…';
const STARTED_ANEW = 'The program was started anew: open the address that it printed then, and this page goes on.';
const NOT_LET_IN = 'The program does not know this browser: open the address that it printed. Where it runs in a terminal, Enter gives a new one.';

export class Supervisor {
  session: Session | null = null;
  private readonly backoff = new Backoff();
  private timer = 0;
  private isAsking = false;

  constructor(
    private readonly connection: Connection,
    private readonly notices: Notices,
    private readonly found: (session: Session, isNew: boolean) => void,
  ) {
    addEventListener('online', () => this.retry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.timer) this.retry();
    });
  }

  // The first call, and every further attempt.
  async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      const session = await this.connection.session();
      const isNew = session.instance !== this.session?.instance;
      this.session = session;
      this.isAsking = false;
      this.found(session, isNew);
    } catch (error) {
      this.isAsking = false;
      this.lost(error);
    }
  }

  // Says why, and tries again after a while. A text is what the program said before it ended.
  lost(cause: unknown): void {
    this.notices.set('connection', this.wordsFor(cause));
    if (this.timer) return;
    this.timer = window.setTimeout(() => void this.ask(), 1000 * this.backoff.next());
  }

  reached(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.backoff.reset();
    this.notices.set('connection', '');
  }

  private retry(): void {
    this.backoff.reset();
    void this.ask();
  }

  private wordsFor(cause: unknown): string {
    if (cause instanceof HttpError && cause.status === 403) return this.session ? STARTED_ANEW : NOT_LET_IN;
    if (typeof cause === 'string' && cause) return `${cause} Trying again…`;
    const isPlain = cause instanceof Error && !(cause instanceof TypeError) && !(cause instanceof DOMException) && !(cause instanceof HttpError);
    return isPlain ? `${cause.message}; trying again…` : GONE;
  }
}
