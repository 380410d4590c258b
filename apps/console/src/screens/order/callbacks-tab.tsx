import { useState, type ReactNode } from 'react';
import { failureText } from '@app/investigation/words';
import { queries, useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { answerOf, port, type Schemas } from '../../port';
import { ActionDialog } from '../../ui/action-dialog';
import { Badge, type Tone } from '../../ui/badge';
import { Section } from '../../ui/page';
import { Facts, Id } from '../../ui/parts';
import { Empty, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';

type Delivery = Schemas['DeliveryJson'];
type Attempt = Delivery['steps'][number];

const STATUSES: Readonly<Record<Delivery['status'], readonly [tone: Tone, word: string]>> = {
  delivered: ['ok', 'Delivered'],
  exhausted: ['bad', 'Given up'],
  untried: ['info', 'Not sent yet'],
  waiting: ['warn', 'Waiting for the next attempt'],
};

const TARGETS: Readonly<Record<Delivery['target'], string>> = {
  callback: 'Callback to the address of the request',
  notification: 'Card notification to the merchant server',
  notify: 'Callback to the merchant’s own address',
};

const COLUMNS: readonly Column<Attempt>[] = [
  { key: 'at', head: 'Time', cell: ({ at }) => <Time at={at} withMs /> },
  {
    key: 'request',
    head: 'Request',
    cell: (step) => (step.kind === 'resend-requested' ? 'Resend requested' : `Attempt ${step.tryNumber}`),
  },
  {
    key: 'response',
    head: 'Response',
    isText: true,
    cell: (step) => {
      switch (step.kind) {
        case 'delivered':
          return (
            <>
              <Badge tone="ok">HTTP {step.httpStatus}</Badge> accepted
            </>
          );
        case 'failed':
        case 'exhausted':
          return (
            <>
              <Badge tone={step.kind === 'failed' ? 'warn' : 'bad'}>
                {step.failure.cause === 'answered' ? `HTTP ${step.failure.status}` : 'Failed'}
              </Badge>{' '}
              {failureText(step.failure)}
            </>
          );
        case 'resend-requested':
          return `by ${step.actor}${step.claimedActor === undefined ? '' : ` for ${step.claimedActor}`}`;
      }
    },
  },
  {
    key: 'next',
    head: 'Next',
    cell: (step) =>
      step.kind === 'failed' ? (
        <>
          again <Time at={step.nextTryAt} />
        </>
      ) : step.kind === 'exhausted' ? (
        'none, given up'
      ) : null,
  },
];

/** The callbacks of an order, and each attempt to deliver them. */
export const CallbacksTab = ({ orderId }: { readonly orderId: string }): ReactNode => {
  const { can } = useSession();
  const [resent, setResent] = useState<Delivery>();
  const deliveries = useReading({
    key: ['order', orderId, 'deliveries'],
    ask: (signal) => port.GET('/orders/{orderId}/deliveries', { params: { path: { orderId } }, signal }),
    live: { orderId },
  });
  return (
    <Result query={deliveries}>
      {({ deliveries: all }) => (
        <div className="stack">
          {all.length === 0 ? (
            <Empty title="No callback yet">
              A callback is sent when the order or a follow-up is final, if the merchant has an address.
            </Empty>
          ) : null}
          {all.map((delivery, index) => {
            const [tone, word] = STATUSES[delivery.status];
            return (
              <Section
                key={delivery.deliveryId}
                title={all.length === 1 ? TARGETS[delivery.target] : `${index + 1}. ${TARGETS[delivery.target]}`}
                isCard
                actions={
                  can('operator') && delivery.status !== 'untried' ? (
                    <button type="button" onClick={() => setResent(delivery)}>
                      Resend
                    </button>
                  ) : undefined
                }
              >
                <Facts
                  facts={[
                    { label: 'State', value: <Badge tone={tone}>{word}</Badge> },
                    { label: 'Reports', value: delivery.tellsOf },
                    { label: 'Due since', value: <Time at={delivery.toldAt} /> },
                    ...(delivery.nextTryAt === undefined ? [] : [{ label: 'Next attempt', value: <Time at={delivery.nextTryAt} /> }]),
                    { label: 'webhook-id', value: <Id text={delivery.webhookId} what="webhook-id" /> },
                  ]}
                />
                {delivery.steps.length === 0 ? null : (
                  <Table
                    caption={`Attempts of callback ${index + 1}`}
                    columns={COLUMNS}
                    rows={delivery.steps}
                    rowKey={({ kind, at }) => `${kind} ${at}`}
                    isShort
                  />
                )}
              </Section>
            );
          })}
          {resent === undefined ? null : (
            <ActionDialog
              title="Resend a callback"
              verb="Resend"
              effect={`${TARGETS[resent.target]}, which reports ${resent.tellsOf}, is sent again at once with the same id and bytes. A merchant that keeps the id can tell the repeat.`}
              onSubmit={({ reason }) =>
                answerOf(
                  port.POST('/deliveries/{deliveryId}/resend', { params: { path: { deliveryId: resent.deliveryId } }, body: { reason } }),
                )
              }
              onDone={() => void queries.invalidateQueries({ queryKey: ['order', orderId] })}
              onClose={() => setResent(undefined)}
              doneText="The callback is due now"
            />
          )}
        </div>
      )}
    </Result>
  );
};
