import { backOffMs } from '@app/event-store';
import type { Egress, EgressOutcome } from '@app/egress';
import { waitAtMost, type Scheduled, type Scheduler } from '@app/kernel';
import type { CheckpointReceiver } from '../building/log-proofs';
import { parseCheckpoint, type SignedCheckpoint } from '../checkpoints/checkpoint';
import type { CheckpointHistory } from '../checkpoints/checkpoint-history';
import type { WitnessKey } from '../checkpoints/witness-key';
import { consistencyPath } from '../merkle';
import type { TileReader } from '../tiles/tile-reader';
import { isCosigned } from './cosigned-place';

const PATH = '/add-checkpoint';
const TRIES_GAP_MIN_MS = 1_000;
const TRIES_GAP_MAX_MS = 60_000;
/** The longest wait of a stop for the answer to the last checkpoint. */
const STOP_MS_MAX = 2_000;
/** What a witness answers is kept up to this: a few signature lines. */
const ANSWER_CHARACTERS_MAX = 16_384;
const SIZE_LINE = /^(0|[1-9]\d{0,15})\n?$/;
const CONFLICT = 409;

export interface HttpWitnessSettings {
  /** The submission prefix. */
  readonly url: string;
  readonly egress: Pick<Egress, 'send'>;
  readonly scheduler: Scheduler;
  /** Keeps the checkpoints with the signatures that the witness added. */
  readonly cosigned: CheckpointHistory;
  /** Of witnesses; empty: what the witness answers is kept unverified. */
  readonly keys: readonly WitnessKey[];
  readonly onFailed: (witness: string, error: Error) => void;
  /** An alarm: the witness has seen more of this log than there is, or does not find the new checkpoint consistent with what it has seen. */
  readonly onContradicted: (witness: string, what: string) => void;
}

interface Offered {
  readonly checkpoint: SignedCheckpoint;
  readonly tree: TileReader;
}

/**
 * A witness at an HTTP address, by `add-checkpoint` of C2SP tlog-witness: it gets the newest checkpoint with the proof that it continues the last one that
 * the witness took. One call at a time; while one is tried again only the newest waits.
 */
export class HttpWitness implements CheckpointReceiver {
  readonly #settings: HttpWitnessSettings;
  #waiting: Offered | undefined;
  #running: Promise<void> | undefined;
  #pause: Scheduled | undefined;
  #endPause: (() => void) | undefined;
  #failures = 0;
  /** Of the last checkpoint that the witness took, as far as is known. */
  #takenSize = 0;
  #isStopping = false;

  constructor(settings: HttpWitnessSettings) {
    this.#settings = settings;
  }

  offer(checkpoint: SignedCheckpoint, tree: TileReader): void {
    this.#waiting = { checkpoint, tree };
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** Resolves when the call under way has ended, or after its longest wait; nothing is tried again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#pause?.cancel();
    this.#endPause?.();
    await waitAtMost(this.#settings.scheduler, STOP_MS_MAX, this.#running ?? Promise.resolve(), () => undefined);
  }

  async #run(): Promise<void> {
    for (let offered = this.#waiting; offered !== undefined; offered = this.#waiting) {
      if (await this.#isDone(offered)) {
        this.#failures = 0;
        if (this.#waiting === offered) this.#waiting = undefined;
        continue;
      }
      this.#failures += 1;
      if (this.#isStopping) return;
      await new Promise<void>((resolve) => {
        this.#endPause = resolve;
        this.#pause = this.#settings.scheduler.after(backOffMs(this.#failures, TRIES_GAP_MIN_MS, TRIES_GAP_MAX_MS), resolve);
      });
      if (this.#isStopping) return;
    }
  }

  /** Whether nothing is left to do for this checkpoint. */
  async #isDone(offered: Offered): Promise<boolean> {
    const { url, onFailed, onContradicted } = this.#settings;
    try {
      let outcome = await this.#send(offered);
      const known = outcome.kind === 'answered' && outcome.status === CONFLICT ? sizeIn(outcome.body) : undefined;
      if (known !== undefined && known > offered.checkpoint.size) {
        onContradicted(url, `it has a checkpoint of ${known} events, and the log has ${offered.checkpoint.size}`);
        return true;
      }
      if (known !== undefined && known !== this.#takenSize) {
        this.#takenSize = known;
        outcome = await this.#send(offered);
      }
      if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) {
        this.#takenSize = offered.checkpoint.size;
        if (!(await this.#isKept(offered.checkpoint, outcome.body)))
          onFailed(
            url,
            new Error(`took the checkpoint of ${offered.checkpoint.size} events, and no known key of a witness signed its answer`),
          );
        return true;
      }
      if (outcome.kind === 'answered' && (outcome.status === 422 || outcome.status === CONFLICT)) {
        onContradicted(
          url,
          `it does not take the checkpoint of ${offered.checkpoint.size} events as one that continues the log (${outcome.status})`,
        );
        return true;
      }
      onFailed(url, new Error(outcome.kind === 'answered' ? `answered ${outcome.status}` : outcomeText(outcome)));
    } catch (error) {
      onFailed(url, error instanceof Error ? error : new Error(String(error)));
    }
    return false;
  }

  async #send({ checkpoint, tree }: Offered): Promise<EgressOutcome> {
    const proof = await consistencyPath(tree, this.#takenSize, checkpoint.size);
    const lines = [`old ${this.#takenSize}`, ...proof.map((hash) => hash.toString('base64'))];
    return this.#settings.egress.send({
      method: 'POST',
      url: `${this.#settings.url.replace(/\/+$/, '')}${PATH}`,
      source: 'configuration',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `${lines.join('\n')}\n\n${checkpoint.note}`,
    });
  }

  /** What is not signature lines is not kept, nor what no known key signed. False where that is missing. */
  async #isKept({ note }: SignedCheckpoint, body = ''): Promise<boolean> {
    const { keys, cosigned } = this.#settings;
    const answered = body === '' || body.length > ANSWER_CHARACTERS_MAX ? undefined : parseCheckpoint(`${note}${body}`);
    if (keys.length > 0 && (answered === undefined || !isCosigned(answered, keys))) return false;
    if (answered !== undefined) await cosigned.add(answered);
    return true;
  }
}

const sizeIn = (body = ''): number | undefined => {
  const [, size] = SIZE_LINE.exec(body) ?? [];
  return size === undefined ? undefined : Number(size);
};

const outcomeText = (outcome: Exclude<EgressOutcome, { kind: 'answered' }>): string =>
  'code' in outcome ? `${outcome.kind} ${outcome.code}` : 'reason' in outcome ? `${outcome.kind} ${outcome.reason}` : outcome.kind;
