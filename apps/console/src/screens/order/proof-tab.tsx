import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { LogKey } from '@app/proofs';
import { useReading } from '../../app/reading';
import { count, plural } from '../../format';
import { port, type Schemas } from '../../port';
import { checkEvent, checkpointSteps } from '../../proof/check-record';
import { KEPT_MAX, NOTHING_CHECKED, withChecked, type OrderCheck } from '../../proof/order-check';
import { outcomeOf, type ProofStep, type RawEvent } from '../../proof/proof-steps';
import { Outcome, proofMemory, ProofSteps, TrustedKey, useTrustedKey } from '../../ui/proof';
import { OnDemand } from '../../ui/parts';
import { CutShort, Empty, ErrorNotice, Notice, Result } from '../../ui/states';
import { Time } from '../../ui/time';

type Entry = Schemas['TrailEntry'];

interface Checked {
  readonly entry: Entry;
  readonly event: Schemas['RawEventJson'];
  readonly steps: readonly ProofStep[];
}

/** Events of shared streams, such as operators', follow events of other orders. */
const isWhole = ({ category }: Entry): boolean => category !== 'operator';

interface Run extends OrderCheck<Checked> {
  readonly checkpoint: readonly ProofStep[];
  readonly isRunning: boolean;
  readonly error?: Error | undefined;
}
const NOT_RUN: Run = { ...NOTHING_CHECKED, checkpoint: [], isRunning: false };

/** What the next event is compared with. */
interface Memory {
  readonly key: LogKey | undefined;
  readonly newest: Map<string, RawEvent>;
  note: string | undefined;
}

interface Check {
  readonly run: Run;
  /** From the first event. */
  readonly start: () => void;
  readonly stop: () => void;
  /** Undefined unless it was stopped, or failed, before its end. */
  readonly resume: (() => void) | undefined;
}

const useCheck = (entries: readonly Entry[]): Check => {
  const [run, setRun] = useState<Run>(NOT_RUN);
  const key = useTrustedKey();
  const memory = useRef<Memory>(undefined);
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const check = (from: Run, known: Memory): void => {
    current.current?.abort();
    const { signal } = (current.current = new AbortController());
    memory.current = known;
    let now: Run = { ...from, isRunning: true, error: undefined };
    setRun(now);
    const work = async (): Promise<void> => {
      for (const entry of entries.slice(now.done)) {
        const { event, steps, checkpoint } = await checkEvent(
          entry,
          known.key,
          isWhole(entry) ? known.newest.get(entry.stream) : undefined,
        );
        if (signal.aborted) return;
        // Each checkpoint is compared, because a long check meets several.
        if (checkpoint !== undefined && checkpoint !== known.note && outcomeOf(now.checkpoint) !== 'failed') {
          const found = await checkpointSteps(checkpoint, known.key, proofMemory);
          if (signal.aborted) return;
          now = { ...now, checkpoint: found };
        }
        known.note = checkpoint ?? known.note;
        known.newest.set(entry.stream, event);
        const own = isWhole(entry) ? steps : steps.filter(({ name }) => name !== 'chain');
        now = { ...now, ...withChecked(now, { entry, event, steps: own }) };
        setRun(now);
      }
      setRun({ ...now, isRunning: false });
    };
    work().catch((error: unknown) => {
      if (!signal.aborted) setRun({ ...now, isRunning: false, error: error as Error });
    });
  };
  const known = memory.current;
  const canResume = !run.isRunning && run.done > 0 && run.done < entries.length && known !== undefined && known.key?.text === key?.text;
  return {
    run,
    start: () => check(NOT_RUN, { key, newest: new Map(), note: undefined }),
    stop: () => {
      current.current?.abort();
      setRun((before) => ({ ...before, isRunning: false }));
    },
    resume: canResume ? () => check(run, known) : undefined,
  };
};

/** Not each number is worth reading aloud. */
const PROGRESS_EVENTS = 20;

const Summary = ({ run, total }: { readonly run: Run; readonly total: number }): ReactNode => {
  const { done, failed, unchecked, checkpoint, isRunning } = run;
  const failures = failed === 0 ? '' : ` ${plural(failed, 'event')} not verified.`;
  if (isRunning)
    return (
      <p role="status">
        Checked {count(done - (done % PROGRESS_EVENTS))} of {plural(total, 'event')}…{failures}
      </p>
    );
  const left = total - done;
  const ofCheckpoint = outcomeOf(checkpoint);
  return (
    <div role="status">
      {failed > 0 || ofCheckpoint === 'failed' ? (
        <Notice
          tone="bad"
          icon="cross"
          title={failed > 0 ? `${plural(failed, 'event')} not verified` : 'The log is not the one that this browser saw'}
        >
          The reason stands at each. Keep this page, and run <code>orch log verify</code> on the machine with the log.
        </Notice>
      ) : unchecked > 0 || ofCheckpoint === 'unchecked' ? (
        <Notice tone="warn" icon="question" title="Not fully checked">
          {checkpoint.length > 0 && checkpoint.every(({ state }) => state === 'unchecked')
            ? 'The events lie in the log as it stands, but no trusted key says who signed it. Paste the published key.'
            : 'Some checks were not possible. The reason stands at each event.'}
        </Notice>
      ) : left > 0 ? (
        <Notice tone="warn" icon="question" title={`${count(done)} of ${plural(total, 'event')} verified`}>
          The other {plural(left, 'event')} are not checked yet.
        </Notice>
      ) : (
        <Notice tone="ok" icon="shield" title={`All ${plural(done, 'event')} verified`}>
          This page computed each one from its text, followed it to the signed root, and compared the log with what this browser saw before.
        </Notice>
      )}
    </div>
  );
};

const Event = memo(({ checked: { entry, event, steps } }: { readonly checked: Checked }): ReactNode => (
  <li className="proved">
    <details open={outcomeOf(steps) === 'failed'}>
      <summary>
        <Outcome steps={steps} />
        <span className="proved-name">
          {entry.number}. {entry.type}
        </span>
        <Time at={entry.at} withMs />
      </summary>
      <ProofSteps steps={steps} />
      <p className="proved-links">
        <Link to="/log" search={{ tab: 'event', stream: entry.stream, revision: entry.revision }}>
          Open on the Log screen
        </Link>
      </p>
      <OnDemand summary="Text as stored">{() => <pre className="raw">{JSON.stringify(event, null, 2)}</pre>}</OnDemand>
    </details>
  </li>
));

/** Checks in this page that each event of an order is in the signed log. */
export const ProofTab = ({ orderId }: { readonly orderId: string }): ReactNode => {
  const trail = useReading({
    key: ['order', orderId, 'trail'],
    ask: (signal) => port.GET('/audit/orders/{orderId}', { params: { path: { orderId }, query: { by: 'orderid' } }, signal }),
    live: { orderId },
  });
  return <Result query={trail}>{({ trail: entries, isCutShort }) => <Proof entries={entries} isCutShort={isCutShort === true} />}</Result>;
};

const Proof = ({ entries, isCutShort }: { readonly entries: readonly Entry[]; readonly isCutShort: boolean }): ReactNode => {
  // Questions about the order are left out: each check would add one.
  const events = entries.filter(({ type }) => type !== 'OperatorQueryAnswered');
  const { run, start, stop, resume } = useCheck(events);
  const log = useReading({ key: ['/log'], ask: (signal) => port.GET('/log', { signal }) });
  if (events.length === 0) return <Empty title="No event to prove" />;
  const { done, latest, failures, isRunning } = run;
  // A list that changes during the check cannot be read.
  const shown = isRunning && done > latest.length ? failures : [...failures, ...latest];
  const primary = resume ?? start;
  return (
    <div className="stack">
      <p className="prose">
        This page computes each event’s leaf from its text, follows its path to the root of a signed checkpoint, and compares that
        checkpoint with the last one that this browser saw. Nothing that the service says about itself is taken as proof. Each event costs
        two questions, which the service records.
      </p>
      <TrustedKey offered={log.data?.publicKey} />
      {isCutShort ? (
        <CutShort>
          The service lists only the first {count(events.length)} events of this order. Later ones can be checked one by one on the Log
          screen, under “Prove an event”.
        </CutShort>
      ) : null}
      <div className="proof-start page-actions">
        <button type="button" className="primary" aria-disabled={isRunning} onClick={isRunning ? undefined : primary}>
          {resume !== undefined
            ? `Check the other ${plural(events.length - done, 'event')}`
            : done === 0
              ? `Check ${plural(events.length, 'event')}`
              : 'Check again'}
        </button>
        {isRunning && events.length > KEPT_MAX ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : null}
        {resume === undefined ? null : (
          <button type="button" onClick={start}>
            From the first event
          </button>
        )}
      </div>
      {run.error === undefined ? null : <ErrorNotice error={run.error} onRetry={primary} />}
      {done === 0 && !isRunning ? null : <Summary run={run} total={events.length} />}
      {run.checkpoint.length === 0 ? null : (
        <section aria-label="The checkpoint">
          <h3>The checkpoint</h3>
          <ProofSteps steps={run.checkpoint} />
        </section>
      )}
      {done <= KEPT_MAX || isRunning ? null : (
        <p className="muted">
          The list has the last {plural(latest.length, 'event')} of the {count(done)} checked
          {failures.length === 0 ? '.' : `, and before them the first ${count(failures.length)} that failed.`}
        </p>
      )}
      <ol className="proved-list">
        {shown.map((checked) => (
          <Event key={checked.entry.number} checked={checked} />
        ))}
      </ol>
    </div>
  );
};
