import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useReading } from '../../app/reading';
import { port, type Schemas } from '../../port';
import { OrderStatus, Badge } from '../../ui/badge';
import { Page } from '../../ui/page';
import { Facts, Id, Money, Tabs } from '../../ui/parts';
import { Erased, ErrorNotice, isDamaged, Notice, Result } from '../../ui/states';
import { Time } from '../../ui/time';
import { Actions, type Proposal, Proposals, type Revealed } from './actions';
import { AttemptsTab, type AcceptedData } from './attempts-tab';
import { CallbacksTab } from './callbacks-tab';
import { DisputesTab } from './disputes-tab';
import { MomentBar, MomentState, type PlaceOnBar } from './moment-bar';
import { fieldLabel, Moments } from './moments';
import { authenticationText, OPERATIONS, stageText, statusOf } from './order-words';
import { ProofTab } from './proof-tab';
import { RelatedTab } from './related-tab';
import type { OrderSearch, Tab } from './order.search';
import { Timeline } from './timeline';
import { entryRows, type TrailEntry } from './timeline-rows';

type ShownOrder = Schemas['ShownOrder'];

const route = getRouteApi('/orders/$orderId');

const useOrder = (orderId: string) => {
  const path = { orderId };
  const live = { orderId };
  const order = useReading({
    key: ['order', orderId],
    ask: (signal) => port.GET('/orders/{orderId}', { params: { path }, signal }),
    live,
  });
  const isFound = order.data !== undefined;
  const trail = useReading({
    key: ['order', orderId, 'trail'],
    ask: (signal) => port.GET('/audit/orders/{orderId}', { params: { path, query: { by: 'orderid' } }, signal }),
    live,
    // Of a damaged order it still shows the readable part.
    isEnabled: isFound || (order.error !== null && isDamaged(order.error)),
  });
  const steps = useReading({
    key: ['order', orderId, 'steps'],
    ask: (signal) => port.GET('/audit/orders/{orderId}/steps', { params: { path }, signal }),
    live,
    isEnabled: isFound,
  });
  return { order, trail, steps };
};

export const Order = (): ReactNode => {
  const { orderId } = route.useParams();
  const { order, trail } = useOrder(orderId);
  if (order.data === undefined)
    return (
      <Page title={`Order ${orderId}`}>
        <Result query={order}>{() => null}</Result>
        {order.error !== null && isDamaged(order.error) ? <Damaged orderId={orderId} trail={trail} /> : null}
        {order.error === null ? null : (
          <p>
            <Link to="/orders">All orders</Link>
          </p>
        )}
      </Page>
    );
  // Another order is another screen: nothing revealed or dragged stays.
  return <Opened key={orderId} order={order.data} error={order.error} />;
};

/** Its state cannot be computed, so that only its entries are shown, up to the first that does not follow from the one before. */
const Damaged = ({ orderId, trail }: { readonly orderId: string; readonly trail: ReturnType<typeof useOrder>['trail'] }): ReactNode => {
  const search = route.useSearch();
  const entries = trail.data?.trail ?? NO_ENTRIES;
  const rows = useMemo(() => entryRows(entries), [entries]);
  const isProof = search.tab === 'proof';
  return (
    <>
      <Tabs
        label="Of this order"
        current={isProof ? 'proof' : 'timeline'}
        tabs={tabsOf(orderId, search, {}).filter(({ key }) => key === 'timeline' || key === 'proof')}
      />
      {isProof ? (
        <ProofTab orderId={orderId} />
      ) : (
        <Result query={trail}>
          {({ isCutShort, areQuestionsCut }) => (
            <Timeline
              rows={rows}
              search={search}
              orderStream={entries[0]?.stream}
              moment={undefined}
              isCutShort={isCutShort === true}
              areQuestionsCut={areQuestionsCut === true}
            />
          )}
        </Result>
      )}
    </>
  );
};

const Opened = ({ order, error }: { readonly order: ShownOrder; readonly error: Error | null }): ReactNode => {
  const { orderId } = order;
  const search = route.useSearch();
  const { trail, steps } = useOrder(orderId);
  const [revealed, setRevealed] = useRevealed();
  const [proposed, setProposed] = useState<readonly Proposal[]>([]);
  const entries = revealed?.trail ?? trail.data?.trail ?? NO_ENTRIES;
  const rows = useMemo(() => entryRows(entries), [entries]);
  const accepted = entries.find(({ type }) => type === 'OrderAccepted')?.data as AcceptedData | null | undefined;
  const moments = useMemo(
    () => (steps.data === undefined ? undefined : new Moments(steps.data, search.clock ?? 'recorded')),
    [steps.data, search.clock],
  );
  const words = useMemo(() => new Map(rows.map((row) => [row.entry.eventId, row.words])), [rows]);
  const damage = entries.find(({ problem }) => problem !== null);
  const place = usePlace(moments, search);
  const tab = search.tab ?? 'timeline';
  return (
    <Page
      title={`Order ${orderId}`}
      heading={
        <span className="order-heading">
          <Money amount={order.amount} currency={order.currency} />
          <OrderStatus status={statusOf(order)} />
          {order.erasure?.heldSince === undefined ? null : (
            <Badge tone="warn" icon="pause">
              Legal hold
            </Badge>
          )}
          {order.erasure === undefined || order.erasure.done.length === 0 ? null : (
            <Badge tone="calm" icon="stop">
              Erased
            </Badge>
          )}
        </span>
      }
      lead={
        <span className="order-lead">
          Order <Id text={orderId} what="order number" /> of {order.merchant}, accepted <Time at={order.acceptedAt} />
        </span>
      }
      actions={
        <Actions
          order={order}
          operation={accepted?.plan?.operation}
          onRevealed={setRevealed}
          onProposed={(proposal) => setProposed((before) => [...before, proposal])}
        />
      }
    >
      {error === null ? null : <ErrorNotice error={error} />}
      {damage === undefined ? null : (
        <Notice tone="bad" icon="shield" title="The record is damaged, or of another release" isAlert>
          Entry {damage.number}: {damage.problem}. Do not rely on what follows it. Run <code>orch log verify</code>.
        </Notice>
      )}
      {order.erasure === undefined ? null : <Erasure erasure={order.erasure} />}
      <Proposals entries={entries} made={proposed} />
      {revealed === undefined ? null : <PersonalData revealed={revealed} onHide={() => setRevealed(undefined)} />}
      <Head
        order={order}
        operation={accepted?.plan?.operation}
        authentication={moments === undefined ? undefined : fieldNow(moments, 'payerAuthentication')}
      />
      {steps.error === null ? null : <ErrorNotice error={steps.error} onRetry={() => void steps.refetch()} />}
      {moments === undefined || place === undefined ? null : <MomentBar moments={moments} words={words} search={search} {...place} />}
      <div className="order-body">
        <div className="order-main">
          <Tabs
            label="Of this order"
            current={tab}
            tabs={tabsOf(orderId, search, {
              timeline: rows.filter(({ isMereQuery }) => !isMereQuery).length,
              attempts: order.attempts + order.followUps.length,
              ...(order.reports.length > 0 && { disputes: order.reports.length }),
            })}
          />
          {tab === 'timeline' ? (
            <Result query={trail}>
              {({ isCutShort, areQuestionsCut }) => (
                <Timeline
                  rows={rows}
                  search={search}
                  orderStream={entries[0]?.stream}
                  moment={place === undefined || search.at === undefined ? undefined : moments?.places[place.at]}
                  isCutShort={isCutShort === true}
                  areQuestionsCut={areQuestionsCut === true}
                />
              )}
            </Result>
          ) : tab === 'attempts' ? (
            <Result query={trail}>{() => <AttemptsTab order={order} rows={rows} />}</Result>
          ) : tab === 'callbacks' ? (
            <CallbacksTab orderId={orderId} />
          ) : tab === 'disputes' ? (
            <DisputesTab order={order} />
          ) : tab === 'proof' ? (
            <ProofTab orderId={orderId} />
          ) : (
            <RelatedTab order={order} revealed={revealed} />
          )}
        </div>
        {moments === undefined || place === undefined ? null : (
          <MomentState moments={moments} words={words} currency={order.currency} {...place} />
        )}
      </div>
    </Page>
  );
};

const NO_ENTRIES: readonly TrailEntry[] = [];

const fieldNow = (moments: Moments, wanted: string): string | undefined => {
  const value = moments.stateAt(moments.last).find(({ field }) => field === wanted)?.value;
  return value === null || value === undefined ? undefined : String(value);
};

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  timeline: 'Timeline',
  attempts: 'Attempts and routing',
  callbacks: 'Callbacks',
  disputes: 'Disputes',
  proof: 'Proof',
  related: 'Related orders',
};

const tabsOf = (orderId: string, search: OrderSearch, counts: Partial<Record<Tab, number>>) =>
  (Object.keys(TAB_WORDS) as Tab[]).map((key) => {
    const link: LinkProps = {
      to: '/orders/$orderId',
      params: { orderId },
      search: { ...search, tab: key === 'timeline' ? undefined : key },
      replace: true,
      resetScroll: false,
    };
    return { key, label: TAB_WORDS[key], link, count: counts[key] };
  });

/** Revealed data is forgotten after its time, on any page. */
const useRevealed = (): readonly [Revealed | undefined, (revealed: Revealed | undefined) => void] => {
  const [revealed, setRevealed] = useState<Revealed>();
  useEffect(() => {
    if (revealed === undefined) return undefined;
    const timer = setTimeout(() => setRevealed(undefined), Math.max(0, revealed.untilMs - Date.now()));
    return () => clearTimeout(timer);
  }, [revealed]);
  return [revealed, setRevealed];
};

/** A slider moves faster than an address should change. */
const ADDRESS_AFTER_MS = 150;

/** The places of the bar's two handles. They move at once; the address follows. */
const usePlace = (moments: Moments | undefined, { at, from }: OrderSearch): PlaceOnBar | undefined => {
  const navigate = route.useNavigate();
  const [moved, setMoved] = useState<{ readonly at?: number | undefined; readonly from?: number | undefined }>();
  useEffect(() => setMoved(undefined), [at, from, moments]);
  useEffect(() => {
    if (moved === undefined || moments === undefined) return undefined;
    const timer = setTimeout(
      () =>
        void navigate({
          search: (before) => ({
            ...before,
            at: moved.at === undefined || moved.at === moments.last ? undefined : moments.nameOf(moved.at),
            from: moved.from === undefined ? undefined : moments.nameOf(moved.from),
          }),
          replace: true,
          resetScroll: false,
        }),
      ADDRESS_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [moved, moments, navigate]);
  const ofAddress = useMemo(() => {
    if (moments === undefined || moments.places.length === 0) return undefined;
    const to = (at === undefined ? undefined : moments.placeOf(at)) ?? moments.last;
    const earlier = from === undefined ? undefined : moments.placeOf(from);
    return { at: to, from: earlier };
  }, [moments, at, from]);
  const current = moved === undefined || ofAddress === undefined ? ofAddress : { at: moved.at ?? ofAddress.at, from: moved.from };
  const onMove = useCallback(
    (change: { readonly at?: number | undefined; readonly from?: number | undefined }) =>
      setMoved((before) => ({ ...(before ?? ofAddress), ...change })),
    [ofAddress],
  );
  return current === undefined ? undefined : { ...current, onMove };
};

const maskedCard = ({ bin, lastFour, brand }: Schemas['CardSummary']): ReactNode => (
  <>
    {brand} <span className="number">{`${bin.slice(0, 4)} ${bin.slice(4)}•• •••• ${lastFour}`}</span>
  </>
);

interface HeadProps {
  readonly order: ShownOrder;
  readonly operation: string | undefined;
  readonly authentication: string | undefined;
}

const Head = ({ order, operation, authentication }: HeadProps): ReactNode => {
  const { card, destination, commission, currency } = order;
  return (
    <div className="card order-head">
      <Facts
        facts={[
          { label: 'Operation', value: operation === undefined ? order.transactionType : (OPERATIONS[operation] ?? operation) },
          { label: 'Stage', value: stageText(order.stage) },
          ...(order.amount === order.initialAmount
            ? []
            : [{ label: 'Initial amount', value: <Money amount={order.initialAmount} currency={currency} /> }]),
          { label: 'Merchant', value: order.merchant },
          { label: 'Merchant’s order', value: <Id text={order.clientOrderId} what="merchant’s order id" /> },
          { label: 'Gate', value: order.gate },
          { label: 'Card', value: card === null ? null : maskedCard(card) },
          ...(destination === null ? [] : [{ label: 'To card', value: maskedCard(destination) }]),
          ...(authentication === undefined ? [] : [{ label: 'Payer', value: authenticationText(authentication) }]),
          {
            label: 'Gate’s transaction',
            value: order.transactionId === null ? null : <Id text={order.transactionId} what="gate’s transaction" />,
          },
          ...(order.rrn === null ? [] : [{ label: 'RRN', value: <Id text={order.rrn} what="RRN" /> }]),
          ...(order.approvalCode === null ? [] : [{ label: 'Approval code', value: order.approvalCode }]),
          ...(order.code === null ? [] : [{ label: 'Result code', value: order.code }]),
          ...(commission === null ? [] : [{ label: 'Commission', value: <Money amount={commission} currency={currency} /> }]),
          { label: 'Final', value: order.finalAt === null ? null : <Time at={order.finalAt} /> },
        ]}
      />
    </div>
  );
};

const Erasure = ({ erasure: { heldSince, underWay, done } }: { readonly erasure: Schemas['ErasureJson'] }): ReactNode => (
  <>
    {heldSince === undefined ? null : (
      <Notice tone="warn" icon="pause" title="Under legal hold">
        Since <Time at={heldSince} />. Nothing of this order is erased until the hold is released.
      </Notice>
    )}
    {underWay === undefined ? null : (
      <Notice tone="warn" icon="clock" title="Personal data are being erased">
        Requested <Time at={underWay.requestedAt} />.
      </Notice>
    )}
    {done.map(({ requestId, cause, erasedAt, texts, cards }) => (
      <Erased key={requestId}>
        <Time at={erasedAt} />, {cause === 'request' ? 'on request' : 'by age'}: keys of texts {texts}, cards {cards}. The other facts did
        not change.
      </Erased>
    ))}
  </>
);

/** Unsealed texts, by the field that holds them. */
const revealedTexts = (entries: readonly TrailEntry[]): readonly { readonly label: string; readonly value: string }[] => {
  const found = new Map<string, string>();
  for (const { data } of entries)
    for (const [name, value] of Object.entries((data ?? {}) as Readonly<Record<string, unknown>>))
      if (['customer', 'details', 'device'].includes(name) && typeof value === 'object' && value !== null)
        for (const [label, text] of Object.entries(value)) if (typeof text === 'string' && text !== '') found.set(label, text);
  return [...found].map(([name, value]) => ({ label: fieldLabel(name), value }));
};

const PersonalData = ({ revealed, onHide }: { readonly revealed: Revealed; readonly onHide: () => void }): ReactNode => {
  const [leftMs, setLeft] = useState(revealed.untilMs - Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLeft(revealed.untilMs - Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [revealed]);
  const texts = revealedTexts(revealed.trail);
  return (
    <section className="card personal" aria-label="Personal data">
      <div className="section-head">
        <h2>Personal data</h2>
        <span className="muted">
          Hidden again in <span className="number">{Math.max(0, Math.ceil(leftMs / 1_000))}</span> s
        </span>
        <button type="button" onClick={onHide}>
          Hide now
        </button>
      </div>
      {texts.length === 0 ? <p className="muted">This order has no personal data that can be shown.</p> : <Facts facts={texts} />}
    </section>
  );
};
