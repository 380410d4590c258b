import { useState, type ReactNode } from 'react';
import { useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { answerOf, port, type Schemas } from '../../port';
import { ActionDialog } from '../../ui/action-dialog';
import { Badge, type Tone } from '../../ui/badge';
import { Id } from '../../ui/parts';
import { CutShort, Empty, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Age } from '../../ui/time';
import { refresh } from './queue-list';

type Parked = Schemas['ParkedStreams']['streams'][number];

const CAUSES: Readonly<Record<Parked['cause'], readonly [tone: Tone, word: string]>> = {
  'chain-broken': ['bad', 'Record changed'],
  'event-unreadable': ['bad', 'Event unreadable'],
  'not-applied': ['warn', 'Not applied'],
};

/** Streams that the read models skip, each with its cause and the next step. */
export const ParkedQueue = (): ReactNode => {
  const { can } = useSession();
  const [unparked, setUnparked] = useState<Parked>();
  const parked = useReading({ key: ['/streams/parked'], ask: (signal) => port.GET('/streams/parked', { signal }), live: 'all' });
  const columns: readonly Column<Parked>[] = [
    { key: 'stream', head: 'Stream', cell: ({ stream }) => <Id text={stream} what="stream" /> },
    { key: 'age', head: 'Parked for', cell: ({ parkedAt }) => <Age since={parkedAt} /> },
    {
      key: 'cause',
      head: 'Cause',
      cell: ({ cause }) => {
        const [tone, word] = CAUSES[cause];
        return <Badge tone={tone}>{word}</Badge>;
      },
    },
    { key: 'event', head: 'Event', isNumber: true, cell: ({ revision }) => revision },
    { key: 'error', head: 'Error', isText: true, cell: ({ error }) => error },
    { key: 'projections', head: 'Missing in', isText: true, cell: ({ projections }) => projections.join(', ') },
    { key: 'next', head: 'Next step', isText: true, cell: ({ next }) => next },
    ...(can('operator')
      ? [
          {
            key: 'act',
            head: <span className="hidden">Action</span>,
            cell: (one: Parked) => (
              <button type="button" aria-label={`Unpark ${one.stream}`} onClick={() => setUnparked(one)}>
                Unpark
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Result query={parked}>
        {({ streams, isCutShort }) =>
          streams.length === 0 ? (
            <Empty title="No stream is parked">Every list has every order.</Empty>
          ) : (
            <div className="queue-rows">
              {isCutShort === true ? <CutShort>More streams are parked. Unpark these first.</CutShort> : null}
              <Table caption="Parked streams, oldest first" columns={columns} rows={streams} rowKey={({ stream }) => stream} />
            </div>
          )
        }
      </Result>
      {unparked === undefined ? null : (
        <ActionDialog
          title="Unpark a stream"
          verb="Unpark"
          effect={`Projects the events of ${unparked.stream} again. It stays parked if one of them still cannot be applied, so remove the cause first.`}
          onSubmit={({ reason }) =>
            answerOf(port.POST('/streams/{stream}/unparking', { params: { path: { stream: unparked.stream } }, body: { reason } }))
          }
          onDone={() => refresh('/streams/parked')}
          onClose={() => setUnparked(undefined)}
          doneText="The stream is in the lists again"
        />
      )}
    </>
  );
};
