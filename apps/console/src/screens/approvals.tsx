import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { queries, usePages, useReading } from '../app/reading';
import { useSession } from '../app/session';
import { money, personOf } from '../format';
import { answerOf, port, type Schemas } from '../port';
import { ActionDialog, type ActionForm } from '../ui/action-dialog';
import { Badge } from '../ui/badge';
import { Changes } from '../ui/changes';
import { Page, Section } from '../ui/page';
import { Facts, Id, LoadMore, Tabs } from '../ui/parts';
import { Behind, Empty, ErrorNotice, Result, Skeleton } from '../ui/states';
import { Time, useNow } from '../ui/time';
import { alarm, tell } from '../ui/toasts';
import { actionText, causeText, decisionsOf, effectText, isOwn, roleOf, statusOf } from './approvals/proposal';
import type { ApprovalsSearch } from './approvals.search';

type ListedApproval = Schemas['ListedApproval'];
type Tab = NonNullable<ApprovalsSearch['tab']>;

const route = getRouteApi('/approvals');
const PAGE_ROWS = 50;
const ROOT = 'approvals';

const TABS: Readonly<Record<Tab, readonly [word: string, empty: string, hint: string]>> = {
  waiting: [
    'Waiting',
    'Nothing waits for approval',
    'A proposal appears here when the configuration requires a second person for an action.',
  ],
  mine: [
    'Proposed by me',
    'You have proposed nothing',
    'An action that needs a second person becomes a proposal. It stays here after its decision.',
  ],
  decided: ['Decided', 'Nothing was decided yet', 'Proposals stay here after they were approved, rejected, or have expired.'],
};

const QUERIES = {
  waiting: { state: 'waiting' },
  mine: { mine: 'true' },
  decided: { state: 'decided' },
  approved: { state: 'approved' },
} as const;

const useApprovals = (what: keyof typeof QUERIES) =>
  usePages({
    key: [ROOT, what],
    ask: (cursor, signal) =>
      port.GET('/approvals', {
        params: { query: { ...QUERIES[what], limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
  });

const reload = (): void => void queries.invalidateQueries({ queryKey: [ROOT] });

export const Approvals = (): ReactNode => {
  const { tab = 'waiting' } = route.useSearch();
  const tabs = (Object.keys(TABS) as Tab[]).map((key) => {
    const link: LinkProps = { to: '/approvals', search: { tab: key === 'waiting' ? undefined : key } };
    return { key, label: TABS[key][0], link };
  });
  return (
    <Page
      title="Approvals"
      lead="Actions for which the configuration requires a second person."
      actions={
        <button type="button" onClick={reload}>
          Reload
        </button>
      }
    >
      <Tabs label="Approvals" tabs={tabs} current={tab} />
      {tab === 'waiting' ? <Unfinished /> : null}
      <Listed key={tab} tab={tab} />
    </Page>
  );
};

/** Approved, but a process ended before the execution was recorded: a person must finish these first. */
const Unfinished = (): ReactNode => {
  const { pages, query } = useApprovals('approved');
  const approvals = pages.flatMap((page) => page.approvals);
  if (query.error !== null) return <ErrorNotice error={query.error} />;
  if (approvals.length === 0) return null;
  return (
    <Section title="Approved, execution not recorded">
      <List approvals={approvals} />
    </Section>
  );
};

const Listed = ({ tab }: { readonly tab: Tab }): ReactNode => {
  const { pages, query, hasMore, isLoadingMore, loadMore } = useApprovals(tab);
  const approvals = pages.flatMap((page) => page.approvals);
  const index = pages.at(-1)?.index;
  const [, empty, hint] = TABS[tab];
  return (
    <>
      {query.error === null ? null : <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {index === undefined ? null : <Behind isMissing={index === 'missing'} />}
      {query.data === undefined ? (
        query.error === null && <Skeleton />
      ) : approvals.length === 0 ? (
        <Empty title={empty}>{hint}</Empty>
      ) : (
        <div className="approvals-list" aria-busy={query.isFetching}>
          <List approvals={approvals} />
          <LoadMore shown={approvals.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
        </div>
      )}
    </>
  );
};

const List = ({ approvals }: { readonly approvals: readonly ListedApproval[] }): ReactNode => (
  <ul className="approvals">
    {approvals.map((approval) => (
      <li key={approval.approvalId}>
        <Proposal approval={approval} />
      </li>
    ))}
  </ul>
);

const Target = ({ approval: { action, target } }: { readonly approval: ListedApproval }): ReactNode => {
  if (action === 'apply-configuration')
    return (
      <Link to="/activity" search={{ tab: 'configuration' }}>
        The configuration
      </Link>
    );
  if (action === 'apply-case')
    return (
      <Link to="/queues" search={{ queue: 'cases' }}>
        Case <span title={target}>{target.slice(0, 12)}…</span>
      </Link>
    );
  if (action === 'erase-card') return <Id text={target} what="card reference" />;
  return (
    <Link to="/orders/$orderId" params={{ orderId: target }}>
      Order {target}
    </Link>
  );
};

const sumOf = ({ amount, currency }: ListedApproval): string | undefined =>
  amount === null || currency === null ? undefined : money(amount, currency);

const Proposal = ({ approval }: { readonly approval: ListedApproval }): ReactNode => {
  const session = useSession();
  const now = useNow();
  const [open, setOpen] = useState<'alone' | 'approve' | 'reject' | 'withdraw'>();
  const { approvalId, action, target, merchant, proposer, decider, isAlone, cause, proposedAt, expiresAt, decidedAt } = approval;
  const { status, tone, word, meaning } = statusOf(approval, now);
  const decisions = decisionsOf(approval, session, now);
  const sum = sumOf(approval);
  const title = sum === undefined ? actionText(action) : `${actionText(action)}, ${sum}`;
  const isMine = isOwn(approval, session.name);
  const close = (): void => setOpen(undefined);
  return (
    <article className="card approval" aria-label={`${title}, ${target}`}>
      <header className="approval-head">
        <h2>{title}</h2>
        <Badge tone={tone}>{word}</Badge>
        {isAlone ? (
          <Badge tone="warn" icon="flag">
            Acted alone
          </Badge>
        ) : null}
        {decisions.length === 0 ? null : (
          <div className="approval-buttons">
            {decisions.includes('execute') ? <Execute approval={approval} /> : null}
            {decisions.includes('alone') ? (
              <button type="button" className="quiet" onClick={() => setOpen('alone')}>
                Approve alone
              </button>
            ) : null}
            {decisions.includes('withdraw') ? (
              <button type="button" onClick={() => setOpen('withdraw')}>
                Withdraw
              </button>
            ) : null}
            {decisions.includes('reject') ? (
              <button type="button" onClick={() => setOpen('reject')}>
                Reject
              </button>
            ) : null}
            {decisions.includes('approve') ? (
              <button type="button" className="primary" onClick={() => setOpen('approve')}>
                Approve
              </button>
            ) : null}
          </div>
        )}
      </header>
      <p className="approval-effect">{effectText(approval, sum)}</p>
      <Facts
        facts={[
          { label: 'Target', value: <Target approval={approval} /> },
          ...(merchant === null ? [] : [{ label: 'Merchant', value: merchant }]),
          {
            label: 'Proposed',
            value: (
              <>
                by {isMine ? 'you' : personOf(proposer)}, <Time at={proposedAt} isRelative={status === 'waiting'} />
              </>
            ),
          },
          ...(status === 'waiting' ? [{ label: 'Expires', value: <Time at={expiresAt} isRelative /> }] : []),
          ...(decider === null
            ? []
            : [
                {
                  label: 'Decided',
                  value: (
                    <>
                      by {personOf(decider)}
                      {decidedAt === null ? null : (
                        <>
                          , <Time at={decidedAt} />
                        </>
                      )}
                    </>
                  ),
                },
              ]),
          { label: 'Reason', value: <Reason approval={approval} /> },
        ]}
      />
      {status === 'waiting' && isMine ? <p className="muted">You proposed this: another person must decide. You can withdraw it.</p> : null}
      {status === 'waiting' && !isMine && decisions.length === 0 ? (
        <p className="muted">A decision needs the role {roleOf(action)}.</p>
      ) : null}
      {meaning === undefined ? null : (
        <p className="muted">
          {meaning}
          {cause === null ? null : <> Cause: {causeText(cause)}.</>}
        </p>
      )}
      {action === 'apply-configuration' ? <ProposedChanges approvalId={approvalId} /> : null}
      {open === 'approve' || open === 'alone' ? <Approve approval={approval} isAlone={open === 'alone'} onClose={close} /> : null}
      {open === 'reject' || open === 'withdraw' ? <Reject approval={approval} isOwnProposal={open === 'withdraw'} onClose={close} /> : null}
    </article>
  );
};

/** The port keeps reasons sealed. They are revealed with the trail of the order, for a reason of one's own. */
const Reason = ({ approval: { action, target } }: { readonly approval: ListedApproval }): ReactNode =>
  ['apply-case', 'apply-configuration', 'erase-card'].includes(action) ? (
    <span className="muted">sealed</span>
  ) : (
    <>
      <span className="muted">sealed, </span>
      <Link to="/orders/$orderId" params={{ orderId: target }}>
        reveal it at the order
      </Link>
    </>
  );

interface DecisionProps {
  readonly approval: ListedApproval;
  readonly onClose: () => void;
}

interface ListedPages {
  readonly pages: readonly { readonly approvals: readonly ListedApproval[] }[];
}

/** Shows the answer in place: the list at the port may be a moment behind it. After a refusal it is asked again. */
const decided = async (answer: Promise<{ readonly approval: Schemas['ShownApproval'] }>): Promise<Schemas['ShownApproval']> => {
  try {
    const { approval } = await answer;
    const patched = (one: ListedApproval): ListedApproval => (one.approvalId === approval.approvalId ? approval : one);
    for (const what of Object.keys(QUERIES))
      queries.setQueryData<ListedPages>(
        [ROOT, what],
        (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, approvals: page.approvals.map(patched) })) },
      );
    void queries.invalidateQueries({ queryKey: [ROOT], refetchType: 'none' });
    void queries.invalidateQueries({ queryKey: ['order', approval.target] });
    if (approval.status === 'approved') alarm('Approved, but its execution is not recorded. Execute it.');
    return approval;
  } catch (error) {
    reload();
    throw error;
  }
};

const Approve = ({ approval, isAlone, onClose }: DecisionProps & { readonly isAlone: boolean }): ReactNode => {
  const { approvalId, action } = approval;
  const submit = async ({ reason, alone }: ActionForm): Promise<void> => {
    const body = { reason, ...((isAlone || alone === true) && { alone: true }) };
    await decided(answerOf(port.POST('/approvals/{approvalId}/approving', { params: { path: { approvalId } }, body })));
  };
  return (
    <ActionDialog
      title={isAlone ? `Approve alone: ${actionText(action)}` : `Approve: ${actionText(action)}`}
      verb={isAlone ? 'Approve alone' : 'Approve and execute'}
      isDangerous={isAlone}
      effect={
        <>
          <p>{effectText(approval, sumOf(approval))} It is executed at once.</p>
          {isAlone ? <p>You act without the second person. This raises an alarm, and stays on the overview for seven days.</p> : null}
        </>
      }
      onSubmit={submit}
      onClose={onClose}
      doneText={`Approved: ${actionText(action)}`}
    />
  );
};

const Reject = ({ approval, isOwnProposal, onClose }: DecisionProps & { readonly isOwnProposal: boolean }): ReactNode => {
  const { approvalId, action } = approval;
  return (
    <ActionDialog
      title={`${isOwnProposal ? 'Withdraw' : 'Reject'}: ${actionText(action)}`}
      verb={isOwnProposal ? 'Withdraw' : 'Reject'}
      effect="Nothing is changed. The proposal cannot be approved afterwards."
      onSubmit={async ({ reason }) => {
        await decided(answerOf(port.POST('/approvals/{approvalId}/rejecting', { params: { path: { approvalId } }, body: { reason } })));
      }}
      onClose={onClose}
      doneText={isOwnProposal ? 'Withdrawn' : 'Rejected'}
    />
  );
};

const Execute = ({ approval: { approvalId } }: { readonly approval: ListedApproval }): ReactNode => {
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    try {
      const { status } = await decided(
        answerOf(port.POST('/approvals/{approvalId}/execution', { params: { path: { approvalId } }, body: {} })),
      );
      if (status === 'done') tell('Executed');
    } catch (error) {
      alarm(`Not executed: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      setRunning(false);
    }
  };
  return (
    <button type="button" className="primary" aria-disabled={isRunning} onClick={isRunning ? undefined : () => void run()}>
      {isRunning ? 'Executing…' : 'Execute'}
    </button>
  );
};

/** Asked for when somebody opens it, because the query is recorded. */
const ProposedChanges = ({ approvalId }: { readonly approvalId: string }): ReactNode => {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const isOpen = open === approvalId;
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open === isOpen) return;
        const next = currentTarget.open ? approvalId : undefined;
        void navigate({ search: (before) => ({ ...before, open: next }), replace: true, resetScroll: false });
      }}
    >
      <summary>Changes of the configuration</summary>
      {isOpen ? <LoadedChanges approvalId={approvalId} /> : null}
    </details>
  );
};

const LoadedChanges = ({ approvalId }: { readonly approvalId: string }): ReactNode => {
  const query = useReading({
    key: [ROOT, 'one', approvalId],
    ask: (signal) => port.GET('/approvals/{approvalId}', { params: { path: { approvalId } }, signal }),
  });
  return (
    <Result query={query} lines={3}>
      {({ configuration }) =>
        configuration === undefined ? (
          <p className="muted">The proposal has no changes of the configuration.</p>
        ) : (
          <>
            <Changes changes={configuration.changes} total={configuration.changeCount} />
            <Facts
              isWide
              facts={[
                { label: 'New configuration', value: <Id text={configuration.digest} what="digest" /> },
                { label: 'In force at the proposal', value: <Id text={configuration.inForce} what="digest" /> },
                ...(configuration.whatIf === undefined
                  ? []
                  : [{ label: 'What-if', value: <Id text={configuration.whatIf.id} what="id of the what-if" /> }]),
              ]}
            />
          </>
        )
      }
    </Result>
  );
};
