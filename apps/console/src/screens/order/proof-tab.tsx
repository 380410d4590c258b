import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useReading } from '../../app/reading';
import { count, plural } from '../../format';
import { port, type Schemas } from '../../port';
import { checkEvent, checkpointSteps } from '../../proof/check-record';
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

/** Each event costs two questions, which the port records. */
const EVENTS_MAX = 200;

/** Events of shared streams, such as operators', follow events of other orders. */
const isWhole = ({ category }: Entry): boolean => category !== 'operator';

interface Run {
  readonly checked: readonly Checked[];
  readonly checkpoint: readonly ProofStep[];
  readonly isRunning: boolean;
  readonly error?: Error;
}
const NOT_RUN: Run = { checked: [], checkpoint: [], isRunning: false };

const useCheck = (entries: readonly Entry[]): readonly [Run, () => void] => {
  const [run, setRun] = useState<Run>(NOT_RUN);
  const key = useTrustedKey();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const start = (): void => {
    current.current?.abort();
    const stop = new AbortController();
    current.current = stop;
    const work = async (): Promise<void> => {
      const checked: Checked[] = [];
      const newest = new Map<string, RawEvent>();
      let note: string | undefined;
      setRun({ ...NOT_RUN, isRunning: true });
      for (const entry of entries) {
        const { event, steps, checkpoint } = await checkEvent(entry, key, isWhole(entry) ? newest.get(entry.stream) : undefined);
        if (stop.signal.aborted) return;
        newest.set(entry.stream, event);
        note = checkpoint ?? note;
        checked.push({ entry, event, steps: isWhole(entry) ? steps : steps.filter(({ name }) => name !== 'chain') });
        setRun({ ...NOT_RUN, checked: [...checked], isRunning: true });
      }
      const steps = note === undefined ? [] : await checkpointSteps(note, key, proofMemory);
      if (!stop.signal.aborted) setRun({ checked, checkpoint: steps, isRunning: false });
    };
    work().catch((error: unknown) => {
      if (!stop.signal.aborted) setRun((before) => ({ ...before, isRunning: false, error: error as Error }));
    });
  };
  return [run, start];
};

const Summary = ({ run: { checked, checkpoint, isRunning }, total }: { readonly run: Run; readonly total: number }): ReactNode => {
  if (isRunning)
    return (
      <p role="status">
        Checked {count(checked.length)} of {plural(total, 'event')}…
      </p>
    );
  const all = [...checked.flatMap(({ steps }) => steps), ...checkpoint];
  const failed = checked.filter(({ steps }) => outcomeOf(steps) === 'failed').length;
  const outcome = outcomeOf(all);
  return (
    <div role="status">
      {outcome === 'held' ? (
        <Notice tone="ok" icon="shield" title={`All ${plural(checked.length, 'event')} verified`}>
          This page computed each one from its text, followed it to the signed root, and compared the log with what this browser saw before.
        </Notice>
      ) : outcome === 'failed' ? (
        <Notice
          tone="bad"
          icon="cross"
          title={failed > 0 ? `${plural(failed, 'event')} not verified` : 'The log is not the one that this browser saw'}
        >
          The reason stands at each. Keep this page, and run <code>orch log verify</code> on the machine with the log.
        </Notice>
      ) : (
        <Notice tone="warn" icon="question" title="Not fully checked">
          {checkpoint.length > 0 && checkpoint.every(({ state }) => state === 'unchecked')
            ? 'The events lie in the log as it stands, but no trusted key says who signed it. Paste the published key.'
            : 'Some checks were not possible. The reason stands at each event.'}
        </Notice>
      )}
    </div>
  );
};

const Event = ({ checked: { entry, event, steps } }: { readonly checked: Checked }): ReactNode => (
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
);

/** Checks in this page that each event of an order is in the signed log. */
export const ProofTab = ({ orderId }: { readonly orderId: string }): ReactNode => {
  const trail = useReading({
    key: ['order', orderId, 'trail'],
    ask: (signal) => port.GET('/audit/orders/{orderId}', { params: { path: { orderId }, query: { by: 'orderid' } }, signal }),
    live: { orderId },
  });
  return <Result query={trail}>{({ trail: entries }) => <Proof entries={entries} />}</Result>;
};

const Proof = ({ entries }: { readonly entries: readonly Entry[] }): ReactNode => {
  // Questions about the order are left out: each check would add one.
  const events = entries.filter(({ type }) => type !== 'OperatorQueryAnswered');
  const chosen = events.slice(0, EVENTS_MAX);
  const [run, start] = useCheck(chosen);
  if (events.length === 0) return <Empty title="No event to prove" />;
  return (
    <div className="stack">
      <p className="prose">
        This page computes each event’s leaf from its text, follows its path to the root of a signed checkpoint, and compares that
        checkpoint with the last one that this browser saw. Nothing that the service says about itself is taken as proof. Each event costs
        two questions, which the service records.
      </p>
      <TrustedKey />
      <div className="proof-start">
        <button type="button" className="primary" aria-disabled={run.isRunning} onClick={run.isRunning ? undefined : start}>
          {run.checked.length === 0 ? `Check ${plural(chosen.length, 'event')}` : 'Check again'}
        </button>
      </div>
      {events.length > chosen.length ? (
        <CutShort>Only the first {count(EVENTS_MAX)} events are checked here. An evidence pack proves all of them.</CutShort>
      ) : null}
      {run.error === undefined ? null : <ErrorNotice error={run.error} onRetry={start} />}
      {run.checked.length === 0 && !run.isRunning ? null : <Summary run={run} total={chosen.length} />}
      {run.checkpoint.length === 0 ? null : (
        <section aria-label="The checkpoint">
          <h3>The checkpoint</h3>
          <ProofSteps steps={run.checkpoint} />
        </section>
      )}
      <ol className="proved-list">
        {run.checked.map((checked) => (
          <Event key={checked.entry.number} checked={checked} />
        ))}
      </ol>
    </div>
  );
};
