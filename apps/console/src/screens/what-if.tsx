import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReading } from '../app/reading';
import { plural } from '../format';
import { port, type Schemas } from '../port';
import { Page } from '../ui/page';
import { Result } from '../ui/states';
import { Time } from '../ui/time';
import { Forecast } from './what-if/result';
import { RulesEditor } from './what-if/rules-editor';
import { pace, Run, StateBadge, subjectOf } from './what-if/run';

type WhatIfRun = Schemas['WhatIfJson'];

const route = getRouteApi('/what-if');

export const WhatIf = (): ReactNode => {
  const { tab, run } = route.useSearch();
  const list = useReading({
    key: ['/what-ifs'],
    ask: (signal) => port.GET('/what-ifs', { signal }),
    everyMs: (data, timesAsked) => (data?.whatIfs.some(({ state }) => state === 'running') === true ? pace(timesAsked) : false),
  });
  return (
    <Page
      title="What-if"
      lead="Decides every order of the past again under other rules. No gate is called, and no order changes."
      actions={
        run === undefined && tab !== 'forecast' ? undefined : (
          <Link to="/what-if" search={{}} activeOptions={{ exact: true }} className="button">
            New what-if
          </Link>
        )
      }
    >
      <div className="what-if">
        <div className="section">
          {tab === 'forecast' ? <Forecast /> : run === undefined ? <RulesEditor /> : <Run key={run} whatIfId={run} />}
        </div>
        <aside aria-label="Kept what-ifs" className="section">
          <h2>Kept what-ifs</h2>
          <Result query={list} lines={3}>
            {({ whatIfs }) =>
              whatIfs.length === 0 ? (
                <p className="muted">None yet.</p>
              ) : (
                <ul className="kept">
                  {whatIfs.map((one) => (
                    <KeptRun key={one.whatIfId} whatIf={one} isCurrent={one.whatIfId === run} />
                  ))}
                </ul>
              )
            }
          </Result>
          <p className="muted small">The newest 20 of the process that answers.</p>
          <Link to="/what-if" search={{ tab: 'forecast' }}>
            Forecast of the configuration
          </Link>
        </aside>
      </div>
    </Page>
  );
};

const KeptRun = ({ whatIf, isCurrent }: { readonly whatIf: WhatIfRun; readonly isCurrent: boolean }): ReactNode => {
  const { whatIfId, state, startedBy, startedAt, orders } = whatIf;
  return (
    <li>
      <Link to="/what-if" search={{ run: whatIfId }} activeProps={{}} aria-current={isCurrent ? 'page' : undefined}>
        <span className="kept-head">
          <strong>{subjectOf(whatIf)}</strong>
          <StateBadge state={state} />
        </span>
        <span className="muted small">
          {startedBy}, <Time at={startedAt} isRelative />, {plural(orders, 'order')}
        </span>
      </Link>
    </li>
  );
};
