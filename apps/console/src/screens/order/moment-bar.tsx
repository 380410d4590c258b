import { getRouteApi, Link } from '@tanstack/react-router';
import { memo, useMemo, useState, type ReactNode } from 'react';
import type { EventWords } from '@app/investigation/words';
import { useShortcut } from '../../app/shortcuts';
import { instant } from '../../format';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icons';
import { Choice, Facts } from '../../ui/parts';
import { Notice } from '../../ui/states';
import { Time } from '../../ui/time';
import { fieldLabel, type Clock, type FieldValue, type Moments, type StepEvent } from './moments';
import { authenticationText, stageText } from './order-words';
import type { OrderSearch } from './order.search';
import { TONES } from './timeline-rows';

const route = getRouteApi('/orders/$orderId');

type Words = ReadonlyMap<string, EventWords>;

const titleOf = (words: Words, { id, type }: StepEvent): string => words.get(id)?.title ?? type;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const placeTitle = (moments: Moments, words: Words, place: number): string =>
  capital((moments.places[place]?.events ?? []).map((event) => titleOf(words, event)).join(', '));

export interface PlaceOnBar {
  readonly at: number;
  /** The earlier moment of a difference. */
  readonly from: number | undefined;
  readonly onMove: (moved: { readonly at?: number | undefined; readonly from?: number | undefined }) => void;
}

interface MomentBarProps extends PlaceOnBar {
  readonly moments: Moments;
  readonly words: Words;
  readonly search: OrderSearch;
}

/** Two sliders over the events of an order: the moment, and an earlier one that it is compared with. */
export const MomentBar = ({ moments, words, search, at, from, onMove }: MomentBarProps): ReactNode => {
  const navigate = route.useNavigate();
  const { last, places } = moments;
  const clock: Clock = search.clock ?? 'recorded';
  const step = (by: -1 | 1): void => onMove({ at: Math.min(Math.max(at + by, 0), last) });
  useShortcut('[', 'Moment: one event back', () => step(-1));
  useShortcut(']', 'Moment: one event on', () => step(1));
  const isNow = at === last && from === undefined;
  return (
    <section className="card moment" aria-label="Moment">
      <div className="moment-head">
        <h2>Moment</h2>
        <Choice
          label="Clock"
          value={clock}
          options={[
            ['recorded', 'Recorded'],
            ['gate', 'True at the gate'],
          ]}
          onChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, clock: next === 'gate' ? 'gate' : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
        <div className="moment-buttons">
          <button
            type="button"
            className="square"
            aria-label="One event back"
            aria-keyshortcuts="["
            aria-disabled={at === 0}
            onClick={() => step(-1)}
          >
            <Icon name="back" />
          </button>
          <button
            type="button"
            className="square"
            aria-label="One event on"
            aria-keyshortcuts="]"
            aria-disabled={at === last}
            onClick={() => step(1)}
          >
            <Icon name="right" />
          </button>
          {from === undefined ? (
            <button type="button" onClick={() => onMove({ from: Math.max(0, at - 1) })}>
              Compare
            </button>
          ) : (
            <button type="button" onClick={() => onMove({ from: undefined })}>
              End comparison
            </button>
          )}
          <button type="button" className="quiet" aria-disabled={isNow} onClick={() => onMove({ at: last, from: undefined })}>
            Now
          </button>
        </div>
      </div>
      <div className="moment-tracks">
        <Marks moments={moments} words={words} />
        {from === undefined ? null : (
          <Slider label="Earlier moment" moments={moments} words={words} value={from} onChange={(place) => onMove({ from: place })} />
        )}
        <Slider
          label={from === undefined ? 'Moment' : 'Later moment'}
          moments={moments}
          words={words}
          value={at}
          onChange={(place) => onMove({ at: place })}
        />
      </div>
      <div className="moment-clocks">
        {from === undefined ? null : <Reading label="From" moments={moments} words={words} place={from} />}
        <Reading label={from === undefined ? (isNow ? 'Now,' : 'As of') : 'To'} moments={moments} words={words} place={at} />
      </div>
      {moments.isCut ? (
        <Notice tone="warn" icon="warning" title="The bar ends early">
          Too many events were recorded late. Use the recorded clock for later moments.
        </Notice>
      ) : null}
      {places.length === 0 ? <p className="muted">No event by this clock.</p> : null}
    </section>
  );
};

interface SliderProps {
  readonly label: string;
  readonly moments: Moments;
  readonly words: Words;
  readonly value: number;
  readonly onChange: (place: number) => void;
}

const Slider = ({ label, moments, words, value, onChange }: SliderProps): ReactNode => (
  <input
    type="range"
    className="moment-slider"
    aria-label={label}
    aria-valuetext={`Event ${value + 1} of ${moments.last + 1}: ${placeTitle(moments, words, value)}, ${instant(moments.places[value]?.at ?? '')}`}
    min={0}
    max={moments.last}
    step={1}
    value={value}
    onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
  />
);

/** A place that represents several shows the tone that needs a person most. */
const MARK_TONES = ['calm', 'info', 'ok', 'warn', 'bad'] as const;
const MARKS_WIDTH = 1_000;
const MARKS_MAX = 200;

/** A line for each event, or for a few of them. */
const Marks = memo(({ moments, words }: { readonly moments: Moments; readonly words: Words }): ReactNode => {
  const paths = useMemo(() => {
    const count = Math.min(moments.places.length, MARKS_MAX);
    const ranks = new Array<number>(count).fill(0);
    moments.places.forEach(({ events }, place) => {
      const tone = TONES[words.get(events.at(-1)?.id ?? '')?.tone ?? 'plain'];
      const mark = moments.last === 0 ? 0 : Math.round((place / moments.last) * (count - 1));
      ranks[mark] = Math.max(
        ranks[mark] ?? 0,
        MARK_TONES.findIndex((other) => other === tone),
      );
    });
    const width = MARKS_WIDTH / Math.max(1, count - 1);
    return MARK_TONES.map((tone, rank) => ({
      tone,
      path: ranks.flatMap((own, mark) => (own === rank ? `M${(mark * width).toFixed(1)} 0V10` : [])).join(''),
    }));
  }, [moments, words]);
  return (
    <svg className="moment-marks" viewBox={`0 0 ${MARKS_WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      {paths.map(({ tone, path }) => (
        <path key={tone} className={tone} d={path} />
      ))}
    </svg>
  );
});

interface ReadingProps {
  readonly label: string;
  readonly moments: Moments;
  readonly words: Words;
  readonly place: number;
}

/** One moment by both clocks. */
const Reading = ({ label, moments, words, place }: ReadingProps): ReactNode => {
  const events = moments.places[place]?.events;
  const event = events?.at(-1);
  if (event === undefined) return null;
  return (
    <div className="moment-reading">
      <p>
        <span className="muted">
          {label} event {place + 1} of {moments.last + 1} of the payment
        </span>{' '}
        <strong>{placeTitle(moments, words, place)}</strong>
      </p>
      <dl className="moment-times">
        <div>
          <dt>Recorded</dt>
          <dd>
            <Time at={event.knownAt} withMs />
          </dd>
        </div>
        <div>
          <dt>True at the gate</dt>
          <dd>{event.trueAt === event.knownAt ? <span className="muted">the same</span> : <Time at={event.trueAt} withMs />}</dd>
        </div>
      </dl>
    </div>
  );
};

interface MomentStateProps extends PlaceOnBar {
  readonly moments: Moments;
  readonly words: Words;
  readonly currency: string;
}

/** Longer states show their first fields and those that changed. */
const FIELDS_MAX = 80;

interface Line {
  readonly field: string;
  readonly before: FieldValue | undefined;
  readonly value: FieldValue;
  readonly setAt: number;
  readonly isChanged: boolean;
}

const linesOf = (moments: Moments, at: number, from: number | undefined): readonly Line[] => {
  if (from !== undefined) {
    const [earlier, later] = from <= at ? [from, at] : [at, from];
    return moments
      .difference(earlier, later)
      .map(({ field, before, after, setAt }) => ({ field, before, value: after, setAt, isChanged: true }));
  }
  return moments.stateAt(at).map(({ field, value, setAt, isChanged }) => ({
    field,
    before: isChanged && at > 0 ? (moments.valueBefore(field, at) ?? undefined) : undefined,
    value,
    setAt,
    isChanged,
  }));
};

/** The state at the bar's moment, or what differs between its two moments, with the event behind each field. */
export const MomentState = ({ moments, words, currency, at, from, onMove }: MomentStateProps): ReactNode => {
  const [isWhole, setWhole] = useState(false);
  const [asked, setAsked] = useState<Line>();
  const lines = useMemo(() => linesOf(moments, at, from), [moments, at, from]);
  const isLong = lines.length > FIELDS_MAX && !isWhole;
  const shown = isLong ? lines.filter(({ isChanged }, index) => isChanged || index < FIELDS_MAX) : lines;
  const title = from === undefined ? (at === moments.last ? 'State now' : 'State at this moment') : 'Difference';
  const changed = lines.filter(({ isChanged }) => isChanged).length;
  return (
    <section className={`card moment-state ${isWhole ? 'whole' : ''}`} aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        <span className="muted" role="status">
          {from === undefined ? (at === 0 ? 'First event' : `${changed} changed here`) : `${lines.length} differ`}
        </span>
      </div>
      {lines.length === 0 ? <p className="muted">Nothing differs between these moments.</p> : null}
      <ul className="fields">
        {shown.map((line) => (
          <li key={line.field} className={line.isChanged && at > 0 ? 'changed' : ''}>
            <span className="field-name">{fieldLabel(line.field)}</span>
            <span className="field-value">
              {line.before === undefined ? null : (
                <>
                  {line.before === null ? (
                    <span className="none">none</span>
                  ) : (
                    <del>
                      <Value field={line.field} value={line.before} currency={currency} />
                    </del>
                  )}{' '}
                  <span aria-hidden="true">→</span>{' '}
                </>
              )}
              <Value field={line.field} value={line.value} currency={currency} />
            </span>
            <button type="button" className="quiet why" onClick={() => setAsked(line)}>
              Why<span className="hidden"> is {fieldLabel(line.field)} so</span>
            </button>
          </li>
        ))}
      </ul>
      {isWhole || (changed === lines.length && !isLong) ? null : (
        <button type="button" className={isLong ? undefined : 'only-narrow'} onClick={() => setWhole(true)}>
          Show all {lines.length} fields
        </button>
      )}
      {asked === undefined ? null : (
        <WhyDialog line={asked} moments={moments} words={words} currency={currency} onClose={() => setAsked(undefined)} onMove={onMove} />
      )}
    </section>
  );
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const AMOUNT = /(^|\.)(amount|initialAmount|commission)$/;

const Value = ({
  field,
  value,
  currency,
}: {
  readonly field: string;
  readonly value: FieldValue;
  readonly currency: string;
}): ReactNode => {
  if (value === null) return <span className="none">none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (field === 'stage') return stageText(text);
  if (field === 'payerAuthentication') return authenticationText(text);
  if (INSTANT.test(text)) return <Time at={text} withMs />;
  return AMOUNT.test(field) ? <span className="money">{`${text} ${currency}`}</span> : text;
};

interface WhyProps {
  readonly line: Line;
  readonly moments: Moments;
  readonly words: Words;
  readonly currency: string;
  readonly onClose: () => void;
  readonly onMove: PlaceOnBar['onMove'];
}

/** The event that set a field, its actor, and the causes back to the request. */
const WhyDialog = ({ line, moments, words, currency, onClose, onMove }: WhyProps): ReactNode => {
  const { orderId } = route.useParams();
  const event = moments.places[line.setAt]?.events.at(-1);
  if (event === undefined) return null;
  const causes = moments.causesOf(event);
  const before = moments.valueBefore(line.field, line.setAt);
  return (
    <Dialog title={`Why: ${fieldLabel(line.field)}`} onClose={onClose}>
      <div className="why-body">
        <Facts
          isWide
          facts={[
            { label: 'Value', value: <Value field={line.field} value={line.value} currency={currency} /> },
            { label: 'Before', value: line.setAt === 0 ? null : <Value field={line.field} value={before} currency={currency} /> },
            {
              label: 'Set by',
              value: (
                <>
                  <strong>{capital(titleOf(words, event))}</strong>{' '}
                  <span className="muted">
                    ({event.type}, revision {event.revision})
                  </span>
                  {(words.get(event.id)?.facts.length ?? 0) === 0 ? null : (
                    <span className="why-facts">{words.get(event.id)?.facts.join(', ')}</span>
                  )}
                </>
              ),
            },
            { label: 'Recorded', value: <Time at={event.knownAt} withMs /> },
            ...(event.trueAt === event.knownAt ? [] : [{ label: 'True at the gate', value: <Time at={event.trueAt} withMs /> }]),
            { label: 'By', value: event.claimedActor === undefined ? event.actor : `${event.actor} for ${event.claimedActor}` },
            {
              label: 'Because of',
              value: (
                <ol className="causes">
                  {causes.map((cause) => (
                    <li key={cause.kind === 'event' ? cause.event.id : cause.id}>
                      {cause.kind === 'event' ? (
                        capital(titleOf(words, cause.event))
                      ) : cause.kind === 'request' ? (
                        <>
                          The request <code>{cause.id}</code>
                        </>
                      ) : (
                        <>
                          An event or action outside the order, <code>{cause.id}</code>
                        </>
                      )}
                    </li>
                  ))}
                </ol>
              ),
            },
          ]}
        />
      </div>
      <div className="dialog-buttons">
        <Link
          className="button"
          to="/orders/$orderId"
          params={{ orderId }}
          search={(search) => ({ ...search, tab: 'proof' as const })}
          onClick={onClose}
        >
          Prove this event
        </Link>
        <button
          type="button"
          className="primary"
          onClick={() => {
            onMove({ at: line.setAt, from: undefined });
            onClose();
          }}
        >
          Go to this moment
        </button>
      </div>
    </Dialog>
  );
};
