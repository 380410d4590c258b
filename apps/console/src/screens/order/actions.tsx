import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { queries } from '../../app/reading';
import { useSession } from '../../app/session';
import { answerOf, port, type Schemas } from '../../port';
import { minorMoney, money } from '../../format';
import { saveBlob } from '../../save-file';
import { ActionDialog, type ActionForm } from '../../ui/action-dialog';
import { Field, textIn } from '../../ui/field';
import { Menu } from '../../ui/menu';
import { Notice } from '../../ui/states';
import { type ActionName, offeredActions } from './offered-actions';
import { FOLLOW_UPS, refundedMinor, statusOf, UNKNOWN } from './order-words';
import type { TrailEntry } from './timeline-rows';

type ShownOrder = Schemas['ShownOrder'];

/** The trail with unsealed texts, until it is hidden again. */
export interface Revealed {
  readonly trail: Schemas['TrailPage']['trail'];
  readonly untilMs: number;
}

/** An action that waits for a second person. */
export interface Proposal {
  readonly id: string;
  readonly action: string;
  readonly proposer: string;
  readonly amount: string | undefined;
}

const REVEALED_MS = 60_000;

interface ActionsProps {
  readonly order: ShownOrder;
  /** Of the plan. */
  readonly operation: string | undefined;
  readonly onRevealed: (revealed: Revealed) => void;
  readonly onProposed: (proposal: Proposal) => void;
}

/** The actions that the order's state and the operator's role allow. */
export const Actions = ({ order, operation, onRevealed, onProposed }: ActionsProps): ReactNode => {
  const { can } = useSession();
  const [open, setOpen] = useState<ActionName>();
  const actions = offeredActions(order, operation).filter(({ role }) => can(role));
  const first = actions.filter(({ isFirst }) => isFirst === true);
  const more = actions.filter(({ isFirst }) => isFirst !== true);
  const close = (): void => setOpen(undefined);
  const Form = open === undefined ? undefined : FORMS[open];
  return (
    <>
      {first.map(({ name, word }) => (
        <button key={name} type="button" onClick={() => setOpen(name)}>
          {word}
        </button>
      ))}
      {more.length === 0 ? null : (
        <Menu label="More">
          {more.map(({ name, word }) => (
            <button
              key={name}
              type="button"
              className="quiet"
              onClick={({ currentTarget }) => {
                const menu = currentTarget.closest('details');
                if (menu !== null) menu.open = false;
                // The dialog returns the focus to the element that has it now, and a closed menu cannot take it.
                menu?.querySelector('summary')?.focus();
                setOpen(name);
              }}
            >
              {word}
            </button>
          ))}
        </Menu>
      )}
      {Form === undefined ? null : (
        <Form order={order} operation={operation} onClose={close} onRevealed={onRevealed} onProposed={onProposed} />
      )}
    </>
  );
};

interface FormProps {
  readonly order: ShownOrder;
  readonly operation: string | undefined;
  readonly onClose: () => void;
  readonly onRevealed: (revealed: Revealed) => void;
  readonly onProposed: (proposal: Proposal) => void;
}

/** Keeps the proposal of an answer that has one. */
const noting =
  (onProposed: FormProps['onProposed']) =>
  <Answer extends object>(answer: Answer): Answer => {
    if ('approval' in answer) {
      const { approvalId, action, proposer, amount, currency } = answer.approval as Schemas['ShownApproval'];
      onProposed({ id: approvalId, action, proposer, amount: amount === null || currency === null ? undefined : money(amount, currency) });
    }
    return answer;
  };

const reload = (orderId: string) => (): void => void queries.invalidateQueries({ queryKey: ['order', orderId] });

const textOf = ({ fields }: ActionForm, name: string): string | undefined => textIn(fields, name) || undefined;

const moneyBody = (form: ActionForm) => {
  const amount = textOf(form, 'amount');
  return { key: form.key, reason: form.reason, ...(form.alone === true && { alone: true }), ...(amount !== undefined && { amount }) };
};

const AmountField = ({ order, hint }: { readonly order: ShownOrder; readonly hint: string }): ReactNode => (
  <Field label={`Amount in ${order.currency}`} hint={hint} isOptional>
    {(tied) => <input {...tied} name="amount" inputMode="decimal" autoComplete="off" placeholder="all that is left" />}
  </Field>
);

const ReturnForm = ({ order, operation, onClose, onProposed }: FormProps): ReactNode => {
  const { orderId, currency } = order;
  const refunded = refundedMinor(order);
  return (
    <ActionDialog
      title="Refund"
      verb="Refund"
      isDangerous
      mayNeedApproval
      hasKey
      effect={
        operation === 'preauth'
          ? `Returns captured money to the payer, or releases a part of the preauthorisation of ${money(order.initialAmount, currency)} that was not captured.`
          : `Returns money of this sale of ${money(order.initialAmount, currency)} to the payer. Returned so far: ${minorMoney(refunded, currency)}.`
      }
      onSubmit={(form) =>
        answerOf(port.POST('/orders/{orderId}/returns', { params: { path: { orderId } }, body: moneyBody(form) })).then(noting(onProposed))
      }
      onDone={reload(orderId)}
      onClose={onClose}
      doneText="The refund is accepted"
    >
      <AmountField order={order} hint="In major units, such as 12.50. Leave it empty for all that is left." />
    </ActionDialog>
  );
};

const CaptureForm = ({ order, onClose, onProposed }: FormProps): ReactNode => {
  const { orderId, currency } = order;
  return (
    <ActionDialog
      title="Capture"
      verb="Capture"
      mayNeedApproval
      hasKey
      effect={`Takes the preauthorised amount, at most ${money(order.initialAmount, currency)}.`}
      onSubmit={(form) =>
        answerOf(port.POST('/orders/{orderId}/captures', { params: { path: { orderId } }, body: moneyBody(form) })).then(noting(onProposed))
      }
      onDone={reload(orderId)}
      onClose={onClose}
      doneText="The capture is accepted"
    >
      <AmountField order={order} hint="In major units, such as 12.50. Leave it empty for all that is left." />
    </ActionDialog>
  );
};

const VoidForm = ({ order: { orderId, initialAmount, currency }, onClose, onProposed }: FormProps): ReactNode => (
  <ActionDialog
    title="Void"
    verb="Void"
    isDangerous
    mayNeedApproval
    hasKey
    effect={`Voids the whole sale of ${money(initialAmount, currency)}, if the gate has not cleared it.`}
    onSubmit={({ key, reason, alone }) =>
      answerOf(
        port.POST('/orders/{orderId}/voids', { params: { path: { orderId } }, body: { key, reason, ...(alone === true && { alone }) } }),
      ).then(noting(onProposed))
    }
    onDone={reload(orderId)}
    onClose={onClose}
    doneText="The void is accepted"
  />
);

interface ResolveFormProps {
  readonly order: Pick<ShownOrder, 'currency' | 'finalAt' | 'followUps' | 'orderId' | 'stage' | 'status'>;
  readonly onClose: () => void;
  readonly onProposed?: FormProps['onProposed'];
  readonly onResolved?: () => void;
}

/** For an order of this screen, or a row of the queue. */
export const ResolveForm = ({ order, onClose, onProposed = () => undefined, onResolved }: ResolveFormProps): ReactNode => {
  const { orderId, followUps } = order;
  const unknown = followUps.filter((followUp) => followUp.status === UNKNOWN);
  return (
    <ActionDialog
      title="Resolve an unknown outcome"
      verb="Resolve"
      isDangerous
      mayNeedApproval
      effect="Only if the gate itself cannot say what happened. Look at the gate’s own records first: if money moved there, the outcome is approved."
      onSubmit={({ fields, reason, alone }) => {
        const followUp = Number(fields.get('what'));
        return answerOf(
          port.POST('/orders/{orderId}/resolution', {
            params: { path: { orderId } },
            body: {
              as: fields.get('as') === 'approved' ? 'approved' : 'declined',
              reason,
              ...(followUp > 0 && { followUp }),
              ...(alone === true && { alone }),
            },
          }),
        ).then(noting(onProposed));
      }}
      onDone={() => {
        reload(orderId)();
        onResolved?.();
      }}
      onClose={onClose}
      doneText="The outcome is resolved"
    >
      <Field label="What is unknown">
        {(tied) => (
          <select {...tied} name="what">
            {statusOf(order) === UNKNOWN ? <option value="0">The order</option> : null}
            {unknown.map(({ number, operation, amount }) => (
              <option key={number} value={number}>
                Follow-up {number}: {FOLLOW_UPS[operation]} of {money(amount, order.currency)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="What the gate’s records show">
        {(tied) => (
          <select {...tied} name="as" defaultValue="declined">
            <option value="declined">No money moved: declined</option>
            <option value="approved">Money moved: approved</option>
          </select>
        )}
      </Field>
    </ActionDialog>
  );
};

const KINDS = [
  ['chargeback', 'Chargeback'],
  ['representment', 'Outcome of a representment'],
  ['reversal', 'Reversal'],
  ['fraud-warning', 'Fraud warning'],
] as const;
const STAGES = ['first', 'second', 'arbitration'] as const;
const OUTCOMES = ['won', 'lost'] as const;
type Kind = (typeof KINDS)[number][0];

const DisputeForm = ({ order: { orderId, currency }, onClose }: FormProps): ReactNode => {
  const [kind, setKind] = useState<Kind>('chargeback');
  const hasAmount = kind !== 'representment';
  return (
    <ActionDialog
      title="Record a dispute"
      verb="Record"
      hasReason={false}
      effect="Records a report that came on paper or by mail. The merchant receives it as a callback."
      onSubmit={async (form) => {
        const amount = textOf(form, 'amount');
        const stage = STAGES.find((word) => word === textOf(form, 'stage'));
        const outcome = OUTCOMES.find((word) => word === textOf(form, 'outcome'));
        const [reasonCode, date, respondBy] = [textOf(form, 'reasonCode'), textOf(form, 'date'), textOf(form, 'respondBy')];
        return answerOf(
          port.POST('/orders/{orderId}/reports', {
            params: { path: { orderId } },
            body: {
              kind,
              case: textOf(form, 'case') ?? '',
              ...(amount !== undefined && { amount, currency }),
              ...(stage !== undefined && { stage }),
              ...(outcome !== undefined && { outcome }),
              ...(reasonCode !== undefined && { reasonCode }),
              ...(date !== undefined && { date }),
              ...(respondBy !== undefined && { respondBy }),
            },
          }),
        );
      }}
      onDone={reload(orderId)}
      onClose={onClose}
      doneText="The dispute is recorded"
    >
      <Field label="Kind">
        {(tied) => (
          <select {...tied} name="kind" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            {KINDS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Case" hint="The gate’s id of the case. The same report again changes nothing.">
        {(tied) => <input {...tied} name="case" required autoComplete="off" maxLength={64} />}
      </Field>
      <div className="field-pair">
        {hasAmount ? (
          <Field label={`Amount in ${currency}`} isOptional={kind === 'fraud-warning'}>
            {(tied) => <input {...tied} name="amount" inputMode="decimal" autoComplete="off" />}
          </Field>
        ) : (
          <Field label="Outcome">
            {(tied) => (
              <select {...tied} name="outcome">
                <option value="won">Won by the merchant</option>
                <option value="lost">Lost</option>
              </select>
            )}
          </Field>
        )}
        {kind === 'chargeback' || kind === 'representment' ? (
          <Field label="Stage" isOptional>
            {(tied) => (
              <select {...tied} name="stage" defaultValue="">
                <option value="">by default</option>
                {STAGES.map((stage) => (
                  <option key={stage} value={stage}>
                    {stage}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ) : null}
        <Field label="Reason code" isOptional>
          {(tied) => <input {...tied} name="reasonCode" autoComplete="off" maxLength={16} />}
        </Field>
        <Field label="Happened on" isOptional>
          {(tied) => <input {...tied} name="date" type="date" />}
        </Field>
        {kind === 'chargeback' ? (
          <Field label="Answer due by" isOptional>
            {(tied) => <input {...tied} name="respondBy" type="date" />}
          </Field>
        ) : null}
      </div>
    </ActionDialog>
  );
};

const HoldForm = ({ order: { orderId }, onClose }: FormProps): ReactNode => (
  <ActionDialog
    title="Place legal hold"
    verb="Place hold"
    effect="Nothing of this order is erased, on request or by age, until the hold is released."
    onSubmit={({ reason }) => answerOf(port.POST('/orders/{orderId}/hold', { params: { path: { orderId } }, body: { reason } }))}
    onDone={reload(orderId)}
    onClose={onClose}
    doneText="The order is on hold"
  />
);

const ReleaseForm = ({ order: { orderId }, onClose, onProposed }: FormProps): ReactNode => (
  <ActionDialog
    title="Release legal hold"
    verb="Release hold"
    isDangerous
    mayNeedApproval
    effect="The order can be erased again, on request or by age."
    onSubmit={({ reason, alone }) =>
      answerOf(
        port.POST('/orders/{orderId}/hold/release', { params: { path: { orderId } }, body: { reason, ...(alone === true && { alone }) } }),
      ).then(noting(onProposed))
    }
    onDone={reload(orderId)}
    onClose={onClose}
    doneText="The hold is released"
  />
);

const EraseForm = ({ order: { orderId }, onClose, onProposed }: FormProps): ReactNode => (
  <ActionDialog
    title="Erase personal data"
    verb="Erase for good"
    isDangerous
    mayNeedApproval
    effect="Destroys the order’s cards and the keys of its personal data. Nobody can bring them back. The other facts of the order stay."
    onSubmit={({ fields, reason, alone }) =>
      answerOf(
        port.POST('/orders/{orderId}/erasure', {
          params: { path: { orderId } },
          body: { reason, ...(fields.get('ends') === 'on' && { endsReferences: true }), ...(alone === true && { alone }) },
        }),
      ).then(noting(onProposed))
    }
    onDone={reload(orderId)}
    onClose={onClose}
    doneText="The personal data are erased"
  >
    <label className="check">
      <input type="checkbox" name="ends" />
      <span>
        End its card references, too.
        <small>The merchant can no longer charge the card by them. Without this, an order with a live reference is refused.</small>
      </span>
    </label>
  </ActionDialog>
);

const RevealForm = ({ order: { orderId }, onClose, onRevealed }: FormProps): ReactNode => (
  <ActionDialog
    title="Reveal personal data"
    verb="Reveal"
    effect="Shows the payer’s data of this order for 60 seconds. Your name, the reason and what was revealed are recorded first."
    onSubmit={async ({ reason }) => {
      const { trail } = await answerOf(
        port.POST('/audit/orders/{orderId}/reveal', { params: { path: { orderId } }, body: { reason, by: 'orderid' } }),
      );
      onRevealed({ trail, untilMs: Date.now() + REVEALED_MS });
    }}
    onClose={onClose}
    doneText="Personal data are shown for 60 seconds"
  />
);

const EvidenceForm = ({ order: { orderId }, onClose }: FormProps): ReactNode => (
  <ActionDialog
    title="Evidence pack"
    verb="Download"
    effect="A file for the scheme: the order’s whole history in words and as records, with proofs that can be checked offline. It contains the payer’s data."
    onSubmit={async ({ reason }) => {
      const pack: unknown = await answerOf(
        port.POST('/audit/orders/{orderId}/evidence', {
          params: { path: { orderId } },
          body: { reason, by: 'orderid' },
          parseAs: 'blob',
        }),
      );
      saveBlob(`evidence-${orderId}.zip`, pack as Blob);
    }}
    onClose={onClose}
    doneText={
      <>
        The evidence pack is downloaded. Check the zip on the Log screen under{' '}
        <Link to="/log" search={{ tab: 'pack' }}>
          Check a pack
        </Link>{' '}
        without unzipping it, or open the <code>open.html</code> inside. Both need the published key of the log: the Log screen offers it,
        and <code>orch log key show</code> prints it.
      </>
    }
  />
);

const FORMS: Readonly<Record<ActionName, (props: FormProps) => ReactNode>> = {
  capture: CaptureForm,
  dispute: DisputeForm,
  erase: EraseForm,
  evidence: EvidenceForm,
  hold: HoldForm,
  'release-hold': ReleaseForm,
  resolve: ResolveForm,
  return: ReturnForm,
  reveal: RevealForm,
  void: VoidForm,
};

const WANTED: Readonly<Record<string, string>> = {
  'settle-unknown': 'Resolution of the unknown outcome',
  'return-order': 'Refund',
  'capture-order': 'Capture',
  'void-order': 'Void',
  'apply-case': 'Application of a reconciliation case',
  'erase-order': 'Erasure',
  'release-hold': 'Release of the legal hold',
};

interface ProposedData {
  readonly action: string;
  readonly proposer: string;
  readonly expiresAt: string;
  readonly amount?: { readonly minor: string; readonly currency: string };
}

/** Proposals without a decision: nothing after them in their own stream. */
const waitingIn = (entries: readonly TrailEntry[], nowMs: number): readonly Proposal[] => {
  const waiting = new Map<string, ProposedData>();
  for (const { category, type, stream, data } of entries) {
    if (category !== 'approval') continue;
    if (type === 'ActionProposed' && data !== null) waiting.set(stream, data as ProposedData);
    else waiting.delete(stream);
  }
  return [...waiting].flatMap(([stream, { action, proposer, expiresAt, amount }]) =>
    Date.parse(expiresAt) > nowMs
      ? [
          {
            id: stream.slice(stream.indexOf('-') + 1),
            action,
            proposer: proposer.replace(/^operator:/, ''),
            amount: amount === undefined ? undefined : minorMoney(amount.minor, amount.currency),
          },
        ]
      : [],
  );
};

interface ProposalsProps {
  readonly entries: readonly TrailEntry[];
  /** By this page. The trail may not have them yet. */
  readonly made: readonly Proposal[];
}

/** Actions on the order that wait for a second person. */
export const Proposals = ({ entries, made }: ProposalsProps): ReactNode => {
  const known = new Set(
    entries.filter(({ category }) => category === 'approval').map(({ stream }) => stream.slice(stream.indexOf('-') + 1)),
  );
  return [...waitingIn(entries, Date.now()), ...made.filter(({ id }) => !known.has(id))].map(({ id, action, amount, proposer }) => (
    <Notice
      key={id}
      tone="info"
      icon="clock"
      title={`${WANTED[action] ?? action}${amount === undefined ? '' : ` of ${amount}`} waits for approval`}
      actions={
        <Link to="/approvals" className="button">
          Approvals
        </Link>
      }
    >
      Proposed by {proposer}. A second person decides.
    </Notice>
  ));
};
