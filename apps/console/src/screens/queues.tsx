import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReading } from '../app/reading';
import { useSession } from '../app/session';
import { port, type Schemas } from '../port';
import { Page } from '../ui/page';
import { Tabs } from '../ui/parts';
import { Notice } from '../ui/states';
import type { Queue } from './queues.search';
import { CallbacksQueue } from './queues/callbacks';
import { CasesQueue } from './queues/cases';
import { DisputesQueue } from './queues/disputes';
import { ParkedQueue } from './queues/parked';
import { UnknownQueue } from './queues/unknown';

type Overview = Schemas['Overview'];

interface QueueParts {
  readonly word: string;
  /** What one does here. */
  readonly lead: string;
  readonly count: (overview: Overview) => number | undefined;
  readonly list: () => ReactNode;
}

const PARTS: Readonly<Record<Queue, QueueParts>> = {
  unknown: {
    word: 'Unknown outcomes',
    lead: 'Money may have moved. The service asks the gate again by itself; resolve one only if the gate cannot say what happened.',
    count: ({ unknownOutcomes }) => unknownOutcomes?.count,
    list: () => <UnknownQueue />,
  },
  callbacks: {
    word: 'Failed callbacks',
    lead: 'The merchant did not accept them. Waiting ones are sent again by themselves; given-up ones only on request.',
    count: ({ callbacks }) => (callbacks === null ? undefined : callbacks.waiting.count + callbacks.exhausted.count),
    list: () => <CallbacksQueue />,
  },
  disputes: {
    word: 'Disputes',
    lead: 'Chargebacks by the day on which the answer is due. Open one for its record and its evidence pack.',
    count: ({ disputes }) =>
      disputes === null ? undefined : disputes.overdue + disputes.withinThreeDays + disputes.later + disputes.withoutDay,
    list: () => <DisputesQueue />,
  },
  cases: {
    word: 'Reconciliation cases',
    lead: 'Differences between the log and the settlements of a gate. Compare both sides, then close a case or apply the gate’s.',
    count: ({ reconciliationCases }) => reconciliationCases?.count,
    list: () => <CasesQueue />,
  },
  parked: {
    word: 'Parked streams',
    lead: 'An event could not be projected, so the lists leave its order out. The record itself is complete.',
    count: ({ parkedStreams }) => parkedStreams?.count,
    list: () => <ParkedQueue />,
  },
};

/** What waits for a person, oldest first. */
export const Queues = (): ReactNode => {
  const { can, merchants } = useSession();
  const { queue = 'unknown' } = useSearch({ from: '/queues' });
  const overview = useReading({ key: ['/overview'], ask: (signal) => port.GET('/overview', { signal }), live: 'all' });
  const { word, lead, list } = PARTS[queue];
  const shown = (Object.entries(PARTS) as readonly (readonly [Queue, QueueParts])[]).filter(
    // Parked streams concern the whole service.
    ([name]) => (name !== 'cases' || can('investigator')) && (name !== 'parked' || merchants === null),
  );
  return (
    <Page title={word} lead={lead}>
      <div className="queues">
        <Tabs
          label="Queues"
          current={queue}
          tabs={shown.map(([key, parts]) => ({
            key,
            label: parts.word,
            link: { to: '/queues', search: { queue: key } },
            count: overview.data === undefined ? undefined : parts.count(overview.data),
          }))}
        />
        {queue === 'cases' && !can('investigator') ? (
          <Notice tone="warn" icon="stop" title="Refused">
            Reconciliation cases need the role investigator.
          </Notice>
        ) : (
          list()
        )}
      </div>
    </Page>
  );
};
