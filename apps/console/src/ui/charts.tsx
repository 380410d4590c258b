import { useId, useState, type ReactNode } from 'react';
import { clockTime, count, instant } from '../format';
import { usePreferences } from '../preferences';
import type { Tone } from './badge';

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly tone: Tone;
}

interface Minute {
  /** ISO 8601, the start of the bar. */
  readonly at: string;
  readonly values: Readonly<Record<string, number>>;
}

interface BarsProps {
  readonly label: string;
  readonly series: readonly Series[];
  /** Oldest first; missing minutes are gaps. */
  readonly minutes: readonly Minute[];
  /** The first and the end of the axis, in ms. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly stepMs?: number;
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 1;

/** Chart and table of the same figures. The table replaces the chart on request, and screen readers get only the table. */
const Figure = ({ label, chart, table }: { readonly label: string; readonly chart: ReactNode; readonly table: ReactNode }): ReactNode => {
  const [isTable, setTable] = useState(false);
  const id = useId();
  return (
    <figure className="chart" aria-label={label}>
      <button type="button" className="quiet chart-switch" aria-expanded={isTable} aria-controls={id} onClick={() => setTable(!isTable)}>
        {isTable ? 'Show as chart' : 'Show as table'}
      </button>
      {isTable ? null : <div aria-hidden="true">{chart}</div>}
      <div
        id={id}
        className={isTable ? 'chart-table' : 'hidden'}
        role="region"
        aria-label={`${label}, as a table`}
        tabIndex={isTable ? 0 : -1}
      >
        {table}
      </div>
    </figure>
  );
};

const roundedUp = (value: number): number => {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * unit).find((limit) => limit >= value) ?? 10 * unit;
};

/** Stacked bars over time: how many of each kind in each step, a minute by default. */
export const StackedBars = ({ label, series, minutes, fromMs, untilMs, stepMs = 60_000 }: BarsProps): ReactNode => {
  const { zone } = usePreferences();
  const totals = minutes.map(({ values }) => series.reduce((sum, { key }) => sum + (values[key] ?? 0), 0));
  const top = roundedUp(Math.max(1, ...totals));
  const bars = Math.max(1, Math.round((untilMs - fromMs) / stepMs));
  const width = WIDTH / bars;
  const axis = [0, 0.5, 1].map((part) => new Date(fromMs + part * (untilMs - fromMs)).toISOString());
  return (
    <Figure
      label={label}
      chart={
        <>
          <ul className="legend">
            {series.map(({ key, label: word, tone }) => (
              <li key={key} className={tone}>
                {word} <b>{count(minutes.reduce((sum, { values }) => sum + (values[key] ?? 0), 0))}</b>
              </li>
            ))}
          </ul>
          <div className="plot">
            <span className="plot-top">{count(top)}</span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
              <path className="grid" d={`M0 0.5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`} />
              {minutes.map(({ at, values }) => {
                let y = HEIGHT;
                const x = ((Date.parse(at) - fromMs) / stepMs) * width;
                return series.map(({ key, tone }) => {
                  const height = ((values[key] ?? 0) / top) * HEIGHT;
                  y -= height;
                  return height === 0 ? null : (
                    <rect
                      key={`${at}${key}`}
                      className={`bar ${tone}`}
                      x={x + GAP / 2}
                      y={y}
                      width={Math.max(width - GAP, 1)}
                      height={height}
                    >
                      <title>{`${instant(at)}: ${values[key] ?? 0}`}</title>
                    </rect>
                  );
                });
              })}
            </svg>
          </div>
          <div className="axis">
            {axis.map((at) => (
              <span key={at}>{clockTime(at, zone)}</span>
            ))}
          </div>
        </>
      }
      table={
        <table className="table">
          <caption className="hidden">{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ key, label: word }) => (
                <th key={key} scope="col" className="number">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {minutes.map(({ at, values }) => (
              <tr key={at}>
                <th scope="row">{clockTime(at, zone)}</th>
                {series.map(({ key }) => (
                  <td key={key} className="number">
                    {count(values[key] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      }
    />
  );
};

interface SparklineProps {
  /** What the line shows, for those who do not see it: "p95 of sim-a: 50 ms now, 50 to 80 ms in the last hour". */
  readonly label: string;
  /** Null is a gap, which a faint line crosses. */
  readonly values: readonly (number | null)[];
  /** The highest value of the axis, if several lines are to be compared. */
  readonly max?: number;
  readonly tone?: Tone;
}

/** A small line without an axis, next to figures that say the same. */
export const Sparkline = ({ label, values, max, tone = 'info' }: SparklineProps): ReactNode => {
  const top = Math.max(1, max ?? 0, ...values.map((value) => value ?? 0));
  const step = 100 / Math.max(1, values.length - 1);
  const runs: string[] = [];
  const places: string[] = [];
  let isOpen = false;
  values.forEach((value, index) => {
    if (value === null) isOpen = false;
    else {
      const place = `${(index * step).toFixed(1)} ${(23 - (value / top) * 22).toFixed(1)}`;
      places.push(place);
      // A lone value would be invisible without a length.
      runs.push(isOpen ? `L${place}` : `M${place}h0.01`);
      isOpen = true;
    }
  });
  return (
    <svg className={`sparkline ${tone}`} viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <path className="over-gaps" d={places.length === 0 ? '' : `M${places.join('L')}`} />
      <path d={runs.join('')} />
    </svg>
  );
};
