import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type DragEvent, type FormEvent, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { PACK_BYTES_MAX, readCheckpoint, verifyPack, type PackVerdict } from '@app/proofs';
import { usePages, useReading } from '../app/reading';
import { useSession } from '../app/session';
import { count, plural } from '../format';
import { answerOf, port, type Schemas } from '../port';
import { checkEvent, checkpointSteps, continuityBetween } from '../proof/check-record';
import { packWords, type VerdictWords } from '../proof/pack-words';
import { signatureStep } from '../proof/proof-steps';
import { Badge, type Tone } from '../ui/badge';
import { Field, textIn } from '../ui/field';
import { Page, Section } from '../ui/page';
import { Facts, Id, LoadMore, OnDemand, Tabs } from '../ui/parts';
import { Outcome, proofMemory, ProofSteps, TrustedKey, useTrustedKey } from '../ui/proof';
import { Empty, Notice, Result } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Age, Time } from '../ui/time';

const route = getRouteApi('/log');

type LogState = Schemas['LogJson'];
type Checkpoint = Schemas['CheckpointJson'];

const Root = ({ root }: { readonly root: string }): ReactNode => <code title={root}>{root.slice(0, 12)}…</code>;

const Head = ({ log }: { readonly log: LogState }): ReactNode => {
  const { origin, keyId, head, tree, checkpoint, fault, waitingSince } = log;
  return (
    <Section title="What the service says" isCard>
      {fault === null ? null : (
        <Notice tone="bad" icon="shield" title="The log does not match its signatures" isAlert>
          {fault}. Do not rely on the record. Run <code>orch log verify</code> on the machine with the log.
        </Notice>
      )}
      <Facts
        facts={[
          {
            label: 'State',
            value:
              fault !== null ? (
                <Badge tone="bad">Damaged</Badge>
              ) : checkpoint === null ? (
                <Badge tone="warn">Not signed yet</Badge>
              ) : (
                <Badge tone="ok">As signed</Badge>
              ),
          },
          { label: 'Events in the tree', value: tree === null ? null : count(tree.size) },
          { label: 'Signed events', value: checkpoint === null ? null : count(checkpoint.size) },
          { label: 'Newest signature', value: checkpoint?.signedAt == null ? null : <Time at={checkpoint.signedAt} /> },
          {
            label: 'Waiting for a signature',
            value: waitingSince === null ? 'nothing' : <Age since={waitingSince} />,
          },
          { label: 'Newest position', value: <code>{head}</code> },
          { label: 'Key id', value: keyId === null ? null : <code>{keyId}</code> },
          { label: 'Root of the tree', value: tree === null ? null : <Root root={tree.root} /> },
          { label: 'Name of the log', value: origin === null ? null : <Id text={origin} what="name of the log" /> },
        ]}
      />
    </Section>
  );
};

const OwnCheck = ({ log: { checkpoint, publicKey } }: { readonly log: LogState }): ReactNode => {
  const key = useTrustedKey();
  const steps = useQuery({
    queryKey: ['log check', checkpoint?.note, key?.text],
    queryFn: () => checkpointSteps(checkpoint?.note ?? '', key, proofMemory),
    enabled: checkpoint !== null,
  });
  return (
    <Section title="What this browser checked" isCard>
      <TrustedKey offered={publicKey} />
      {checkpoint === null ? (
        <p>Nothing is signed yet, so there is nothing to check.</p>
      ) : (
        <Result query={steps} lines={2}>
          {(found) => (
            <div className="own-check" role="status">
              <Outcome steps={found} />
              <ProofSteps steps={found} />
            </div>
          )}
        </Result>
      )}
    </Section>
  );
};

const CHECKPOINTS: readonly Column<Checkpoint>[] = [
  { key: 'size', head: 'Events', cell: ({ size }) => count(size) },
  { key: 'signedAt', head: 'Signed', cell: ({ signedAt }) => (signedAt === null ? '—' : <Time at={signedAt} />) },
  { key: 'root', head: 'Root', cell: ({ root }) => <Root root={root} /> },
];

const witnessState = ({ newest, problem }: LogState['witnesses'][number], size: number): readonly [tone: Tone, word: string] => {
  if (problem !== null) return ['bad', 'Cannot be read'];
  if (newest === null) return ['warn', 'Has no checkpoint'];
  return newest.size < size ? ['info', `${plural(size - newest.size, 'event')} behind`] : ['ok', 'Up to date'];
};

const Witnesses = ({ log: { witnesses, checkpoint } }: { readonly log: LogState }): ReactNode => (
  <Section title="Witnesses">
    {witnesses.length === 0 ? (
      <p className="prose">
        There is none. A witness is a folder elsewhere that also keeps the checkpoints, so that a replaced log is noticed.
      </p>
    ) : (
      <Table
        caption="Witnesses"
        isShort
        columns={[
          { key: 'name', head: 'Witness', cell: ({ name }) => name },
          {
            key: 'state',
            head: 'State',
            cell: (witness) => {
              const [tone, word] = witnessState(witness, checkpoint?.size ?? 0);
              return <Badge tone={tone}>{word}</Badge>;
            },
          },
          { key: 'size', head: 'Events', isNumber: true, cell: ({ newest }) => (newest === null ? '—' : count(newest.size)) },
          { key: 'at', head: 'Signed', cell: ({ newest }) => (newest?.signedAt == null ? '—' : <Time at={newest.signedAt} />) },
          { key: 'problem', head: 'Problem', isText: true, cell: ({ problem }) => problem ?? '—' },
        ]}
        rows={witnesses}
        rowKey={({ name }) => name}
      />
    )}
  </Section>
);

/** Whole numbers only, as checkpoints are named by their sizes. */
const sizeOf = (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined);

const Compared = ({ from, to }: { readonly from: number; readonly to: number }): ReactNode => {
  const key = useTrustedKey();
  const steps = useQuery({
    queryKey: ['log compare', from, to, key?.text],
    queryFn: async () => {
      const proof = await answerOf(port.GET('/log/consistency', { params: { query: { from: String(from), to: String(to) } } }));
      const [older, later] = [readCheckpoint(proof.older), readCheckpoint(proof.later)];
      if (older === undefined || later === undefined) throw new Error('The service returned no checkpoint');
      return [signatureStep(older, key), signatureStep(later, key), await continuityBetween(older, later)];
    },
  });
  return (
    <Result query={steps} lines={3}>
      {(found) => (
        <div className="own-check" role="status">
          <Outcome steps={found} />
          <ProofSteps steps={found} />
        </div>
      )}
    </Result>
  );
};

const Comparison = ({ checkpoints }: { readonly checkpoints: readonly Checkpoint[] }): ReactNode => {
  const { older, later } = route.useSearch();
  const navigate = route.useNavigate();
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [one, other] = [sizeOf(textIn(data, 'older')), sizeOf(textIn(data, 'later'))];
    setError(one === undefined || other === undefined ? 'Give two sizes, as whole numbers.' : undefined);
    if (one === undefined || other === undefined) return;
    const sizes = { older: Math.min(one, other), later: Math.max(one, other) };
    void navigate({ search: (before) => ({ ...before, ...sizes }), resetScroll: false });
  };
  return (
    <Section title="Two checkpoints">
      <form className="row-form" onSubmit={submit} key={`${older} ${later} ${checkpoints.length > 0}`}>
        <Field label="Events of the older" error={error}>
          {(tied) => <input {...tied} name="older" inputMode="numeric" list="sizes" defaultValue={older ?? checkpoints.at(-1)?.size} />}
        </Field>
        <Field label="Events of the later">
          {(tied) => <input {...tied} name="later" inputMode="numeric" list="sizes" defaultValue={later ?? checkpoints[0]?.size} />}
        </Field>
        <datalist id="sizes">
          {checkpoints.map(({ size }) => (
            <option key={size} value={size} />
          ))}
        </datalist>
        <button type="submit">Compare</button>
      </form>
      {older === undefined || later === undefined ? null : <Compared from={older} to={later} />}
    </Section>
  );
};

const CheckpointsTab = ({ log }: { readonly log: LogState }): ReactNode => {
  const { pages, query, hasMore, isLoadingMore, loadMore } = usePages({
    key: ['/log/checkpoints', log.checkpoint?.size],
    ask: (cursor, signal) =>
      port.GET('/log/checkpoints', { params: { query: { limit: 20, ...(cursor === undefined ? {} : { cursor }) } }, signal }),
  });
  const checkpoints = pages.flatMap((page) => page.checkpoints);
  return (
    <div className="stack">
      <Comparison checkpoints={checkpoints} />
      <Section title="Checkpoints">
        <Result query={query}>
          {() =>
            checkpoints.length === 0 ? (
              <Empty title="No checkpoint yet">
                One is signed every ten seconds while events arrive, if the service has a signing key.
              </Empty>
            ) : (
              <>
                <Table
                  caption="Checkpoints, newest first"
                  isShort
                  columns={CHECKPOINTS}
                  rows={checkpoints}
                  rowKey={({ size }) => String(size)}
                />
                <LoadMore shown={checkpoints.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
              </>
            )
          }
        </Result>
      </Section>
      <Witnesses log={log} />
    </div>
  );
};

const ProvedEvent = ({ stream, revision }: { readonly stream: string; readonly revision: number }): ReactNode => {
  const key = useTrustedKey();
  const checked = useQuery({
    queryKey: ['log event', stream, revision, key?.text],
    queryFn: async () => {
      const { event: before } = revision === 0 ? { event: undefined } : await checkEvent({ stream, revision: revision - 1 }, key);
      return checkEvent({ stream, revision }, key, before);
    },
  });
  return (
    <Result query={checked}>
      {({ event, steps }) => (
        <Section title={event.type} isCard>
          <div className="own-check" role="status">
            <Outcome steps={steps} />
            <ProofSteps steps={steps} />
          </div>
          <Facts
            facts={[
              { label: 'Stored', value: <Time at={event.storedAt} withMs /> },
              { label: 'Position', value: <code>{event.position}</code> },
              { label: 'Event id', value: <Id text={event.id} what="event id" /> },
            ]}
          />
          <OnDemand summary="Text as stored">{() => <pre className="raw">{JSON.stringify(event, null, 2)}</pre>}</OnDemand>
        </Section>
      )}
    </Result>
  );
};

const EventTab = (): ReactNode => {
  const { stream, revision } = route.useSearch();
  const navigate = route.useNavigate();
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const number = textIn(data, 'revision');
    const named = textIn(data, 'stream');
    const isWhole = named !== '' && /^\d{1,10}$/.test(number);
    setError(isWhole ? undefined : 'Give a stream and a whole number from 0.');
    if (isWhole) void navigate({ search: (before) => ({ ...before, stream: named, revision: Number(number) }), resetScroll: false });
  };
  return (
    <div className="stack">
      <Section title="One event">
        <form className="row-form" onSubmit={submit} key={`${stream} ${revision}`}>
          <Field label="Stream" hint="The timeline and the proof tab of an order link here." error={error}>
            {(tied) => <input {...tied} name="stream" className="code" autoComplete="off" spellCheck={false} defaultValue={stream} />}
          </Field>
          <Field label="Number in the stream">
            {(tied) => <input {...tied} name="revision" inputMode="numeric" defaultValue={revision ?? 0} />}
          </Field>
          <button type="submit">Check this event</button>
        </form>
      </Section>
      {stream === undefined || revision === undefined ? null : <ProvedEvent stream={stream} revision={revision} />}
    </div>
  );
};

const TONES: Readonly<Record<VerdictWords['tone'], Tone>> = { held: 'ok', unsure: 'warn', wrong: 'bad' };

const PackResult = ({ verdict }: { readonly verdict: PackVerdict }): ReactNode => {
  const { tone, title, lead, details } = packWords(verdict);
  return (
    <Notice tone={TONES[tone]} icon={tone === 'held' ? 'shield' : tone === 'unsure' ? 'question' : 'cross'} title={title}>
      <p>{lead}</p>
      <ul>
        {details.map((text, at) => (
          <li key={at}>{text}</li>
        ))}
      </ul>
      {'contents' in verdict ? (
        <Link to="/orders/$orderId" params={{ orderId: verdict.contents.orderId }}>
          Open the order
        </Link>
      ) : null}
    </Notice>
  );
};

const PackTab = (): ReactNode => {
  const key = useTrustedKey();
  const [pack, setPack] = useState<{ readonly name: string; readonly bytes: Uint8Array }>();
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const verdict = useMemo(() => (pack === undefined ? undefined : verifyPack(pack.bytes, key)), [pack, key?.text]);
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    setPack(undefined);
    setProblem(file.size > PACK_BYTES_MAX ? `${file.name} is too large for an evidence pack.` : undefined);
    if (file.size > PACK_BYTES_MAX) return;
    file.arrayBuffer().then(
      (bytes) => setPack({ name: file.name, bytes: new Uint8Array(bytes) }),
      () => setProblem(`${file.name} cannot be read.`),
    );
  };
  // A file dropped outside the field would replace the page.
  useEffect(() => {
    const keep = (event: globalThis.DragEvent): void => event.preventDefault();
    document.addEventListener('dragover', keep);
    document.addEventListener('drop', keep);
    return () => {
      document.removeEventListener('dragover', keep);
      document.removeEventListener('drop', keep);
    };
  }, []);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <Section title="An evidence pack">
      <p className="prose">
        The zip is checked here, by the rules of its <code>verify.py</code>. It does not leave this browser, and its own key is not taken as
        proof.
      </p>
      <div
        className={isOver ? 'drop-zone over' : 'drop-zone'}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Field label="Evidence pack (zip), chosen or dropped here" error={problem}>
          {(tied) => (
            <input {...tied} type="file" accept=".zip,application/zip" onChange={({ currentTarget }) => take(currentTarget.files?.[0])} />
          )}
        </Field>
      </div>
      <div role="status">
        {pack === undefined || verdict === undefined ? null : (
          <>
            <p className="pack-name">{pack.name}</p>
            <PackResult verdict={verdict} />
          </>
        )}
      </div>
    </Section>
  );
};

/** The signed log, and what this browser can verify of it by itself. */
export const Log = (): ReactNode => {
  const { tab = 'checkpoints' } = route.useSearch();
  const { can } = useSession();
  const log = useReading({ key: ['/log'], ask: (signal) => port.GET('/log', { signal }), live: 'all' });
  const tabs = [
    { key: 'checkpoints', label: 'Checkpoints', link: { to: '/log', search: { tab: undefined } } },
    ...(can('investigator') ? [{ key: 'event', label: 'Prove an event', link: { to: '/log', search: { tab: 'event' } } } as const] : []),
    { key: 'pack', label: 'Check a pack', link: { to: '/log', search: { tab: 'pack' } } },
  ] as const;
  return (
    <Page
      title="Log"
      lead="The record that cannot be changed unseen: its size, its signatures, and a check that needs no trust in this service."
    >
      <Result query={log}>
        {(state) => (
          <div className="stack">
            <div className="log-head">
              <Head log={state} />
              <OwnCheck log={state} />
            </div>
            <Tabs label="Parts of the log" tabs={tabs} current={tab} />
            {tab === 'pack' ? <PackTab /> : tab === 'event' && can('investigator') ? <EventTab /> : <CheckpointsTab log={state} />}
          </div>
        )}
      </Result>
    </Page>
  );
};
