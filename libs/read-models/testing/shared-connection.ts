import type { Deadline } from '@app/kernel';

export type StatementKind = 'read' | 'write' | 'schema' | 'begin' | 'commit';

/** May throw or wait. An error before a statement prevents it; an error afterwards hides its result. */
export type Interrupt = (kind: StatementKind, when: 'before' | 'after') => void | Promise<void>;

export class UserLife {
  #isOver = false;
  readonly #atEnd = new Set<() => void>();

  get isOver(): boolean {
    return this.#isOver;
  }

  assertAlive(): void {
    if (this.#isOver) throw new Error('the user of the database is gone');
  }

  whenOver(run: () => void): () => void {
    this.#atEnd.add(run);
    return () => void this.#atEnd.delete(run);
  }

  end(): void {
    this.#isOver = true;
    const ending = [...this.#atEnd];
    this.#atEnd.clear();
    for (const run of ending) run();
  }
}

interface Turn {
  readonly begin: () => void;
}

export class SharedConnection {
  readonly #waiting: Turn[] = [];
  #isTaken = false;

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for the turn. The returned function ends it.
   * @param onEnd called once, before the next turn begins
   * @throws Error if the user's life or the deadline ends first
   */
  take(life: UserLife, deadline: Deadline | undefined, onEnd: () => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let stopWatching = (): void => undefined;
      const leave = (reason: string): void => {
        const at = this.#waiting.indexOf(turn);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        stopWatching();
        reject(new Error(reason));
      };
      const forgetLife = life.whenOver(() => leave('the user of the database is gone'));
      const begin = (): void => {
        stopWatching();
        resolve(this.#turnOf(life, onEnd));
      };
      const turn: Turn = { begin };
      this.#waiting.push(turn);
      const forgetDeadline = deadline?.whenOver(() => leave('the time of the query is over'));
      stopWatching = (): void => {
        forgetLife();
        forgetDeadline?.();
      };
      this.#next();
    });
  }

  #turnOf(life: UserLife, onEnd: () => void): () => void {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      forget();
      onEnd();
      this.#isTaken = false;
      this.#next();
    };
    const forget = life.whenOver(end);
    return end;
  }

  #next(): void {
    if (this.#isTaken) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#isTaken = true;
    turn.begin();
  }
}
