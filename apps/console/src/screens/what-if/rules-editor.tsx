import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { queries, useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { plural } from '../../format';
import { answerOf, port, PortRefusal } from '../../port';
import { Field } from '../../ui/field';
import { ErrorNotice, Result } from '../../ui/states';
import { entryPointsOf, rulesFileOf, type EntryPoint } from '../entry-points';
import { faultsOf, type RuleFault } from '../what-if-words';
import type { WhatIfSearch } from '../what-if.search';

const route = getRouteApi('/what-if');

const RULES_LENGTH_MAX = 15_000;
const DRAFT = 'what-if draft';
// A draft stays until its author signs out.
queries.setQueryDefaults([DRAFT], { gcTime: Infinity });

const EXAMPLE = `merchants:
  - login: acme
    endpoints:
      - id: "1001"
        gates: [gate-b, gate-a]
        routing:
          - name: large
            when: { amountFrom: "100.00" }
            then: { cascade: [gate-b] }`;

/** The rules to try, and the orders that they are tried on. */
export const RulesEditor = (): ReactNode => {
  const search = route.useSearch();
  const { merchants } = useSession();
  // The configuration is that of all merchants. Without it one can still write rules.
  const isAsked = merchants === null;
  const configuration = useReading({
    key: ['/audit/configuration'],
    ask: (signal) => port.GET('/audit/configuration', { signal }),
    isEnabled: isAsked,
  });
  if (isAsked && configuration.data === undefined && configuration.error === null)
    return <Result query={configuration}>{() => null}</Result>;
  const entryPoints = entryPointsOf(configuration.data?.configuration);
  return <RulesForm key={search.endpoint ?? ''} search={search} entryPoints={entryPoints} />;
};

interface RulesFormProps {
  readonly search: WhatIfSearch;
  readonly entryPoints: readonly EntryPoint[];
}

const instantOf = (minute: string | undefined): string | undefined => (minute === undefined ? undefined : `${minute}:00Z`);

const RulesForm = ({ search, entryPoints }: RulesFormProps): ReactNode => {
  const { endpoint, from, before, merchant } = search;
  const navigate = useNavigate();
  const draftKey = [DRAFT, endpoint ?? ''];
  const chosen = entryPoints.find(({ id }) => id === endpoint);
  const original = chosen === undefined ? '' : rulesFileOf(chosen);
  const [text, setText] = useState(() => queries.getQueryData<string>(draftKey) ?? original);
  const [faults, setFaults] = useState<readonly RuleFault[]>([]);
  const [failure, setFailure] = useState<Error>();
  const [isStarting, setStarting] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);

  const write = (next: string): void => {
    setText(next);
    queries.setQueryData(draftKey, next);
  };
  const change = (changes: Partial<WhatIfSearch>): void =>
    void navigate({ to: '/what-if', search: { ...search, ...changes }, replace: true, resetScroll: false });

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isStarting) return;
    setFaults([]);
    setFailure(undefined);
    if (text.trim() === '') {
      setFaults([{ line: undefined, text: 'Write the rules to try, or choose an entry point to begin with its rules.' }]);
      area.current?.focus();
      return;
    }
    const times = { from: instantOf(from), before: instantOf(before) };
    setStarting(true);
    try {
      const started = await answerOf(
        port.POST('/what-ifs', {
          body: {
            rules: text,
            ...(times.from !== undefined && { from: times.from }),
            ...(times.before !== undefined && { before: times.before }),
            ...(merchant !== undefined && { merchant }),
          },
        }),
      );
      queries.setQueryData(['/what-ifs', started.whatIfId], started);
      void queries.invalidateQueries({ queryKey: ['/what-ifs'], exact: true });
      await navigate({ to: '/what-if', search: { run: started.whatIfId } });
    } catch (error) {
      setStarting(false);
      if (error instanceof PortRefusal && error.status === 400) {
        setFaults(faultsOf(error.message));
        area.current?.focus();
      } else setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const merchants = [...new Set(entryPoints.map(({ merchant: login }) => login))];
  return (
    <form className="section card" noValidate onSubmit={(event) => void start(event)} aria-busy={isStarting}>
      <h2>Rules to try</h2>
      <div className="field-pair">
        <Field label="Entry point" hint="The editor begins with its rules in force.">
          {(tied) =>
            entryPoints.length === 0 ? (
              <input {...tied} value={endpoint ?? ''} readOnly />
            ) : (
              <select {...tied} value={chosen?.id ?? ''} onChange={({ target }) => change({ endpoint: target.value || undefined })}>
                <option value="">None</option>
                {entryPoints.map(({ merchant: login, id, currency }) => (
                  <option key={`${login} ${id}`} value={id}>
                    {login} {id}, {currency}
                  </option>
                ))}
              </select>
            )
          }
        </Field>
        {(['from', 'before'] as const).map((name) => (
          <Field key={name} label={`Orders ${name}`} isOptional hint="UTC">
            {(tied) => (
              <input
                {...tied}
                type="datetime-local"
                value={search[name] ?? ''}
                onChange={({ target }) => change({ [name]: target.value || undefined })}
              />
            )}
          </Field>
        ))}
        <Field label="Orders of">
          {(tied) => (
            <select {...tied} value={merchant ?? ''} onChange={({ target }) => change({ merchant: target.value || undefined })}>
              <option value="">all merchants</option>
              {merchants.map((login) => (
                <option key={login} value={login}>
                  {login}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <RulesField text={text} faults={faults} onWrite={write} area={area} />
      {failure === undefined ? null : <ErrorNotice error={failure} />}
      <div className="page-actions">
        <button type="submit" className="primary" aria-disabled={isStarting}>
          {isStarting ? 'Starting…' : 'Start the what-if'}
        </button>
        {chosen === undefined || text === original ? null : (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              write(original);
              setFaults([]);
            }}
          >
            Back to the rules in force
          </button>
        )}
      </div>
    </form>
  );
};

interface RulesFieldProps {
  readonly text: string;
  readonly faults: readonly RuleFault[];
  readonly onWrite: (text: string) => void;
  readonly area: React.RefObject<HTMLTextAreaElement | null>;
}

const ROWS_MIN = 14;
const ROWS_MAX = 34;

const RulesField = ({ text, faults, onWrite, area }: RulesFieldProps): ReactNode => {
  const numbers = useRef<HTMLOListElement>(null);
  const lines = text.split('\n');
  const faulty = new Set(faults.map(({ line }) => line));
  const goTo = (line: number): void => {
    const start = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <Field
      label="Rules"
      hint="gates, screening and routing of an entry point, as YAML or JSON. A section that is left out stays as each order had it; none removes it."
      error={faults.length === 0 ? undefined : `${plural(faults.length, 'fault')}. Nothing was started.`}
    >
      {(tied) => (
        <>
          <div className="rules-editor">
            <ol ref={numbers} aria-hidden="true">
              {lines.map((_, index) => (
                <li key={index} className={faulty.has(index + 1) ? 'faulty' : undefined}>
                  {index + 1}
                </li>
              ))}
            </ol>
            <textarea
              {...tied}
              ref={area}
              value={text}
              onChange={({ target }) => onWrite(target.value)}
              onScroll={({ currentTarget }) => {
                if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop;
              }}
              placeholder={EXAMPLE}
              rows={Math.min(Math.max(lines.length + 1, ROWS_MIN), ROWS_MAX)}
              maxLength={RULES_LENGTH_MAX}
              wrap="off"
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
            />
          </div>
          {faults.length === 0 ? null : (
            <ul className="rule-faults" aria-label="Faults of the rules">
              {faults.map(({ line, text: fault }, index) => (
                <li key={index}>
                  {line === undefined ? null : (
                    <button type="button" className="quiet" onClick={() => goTo(line)}>
                      Line {line}
                    </button>
                  )}
                  <span>{fault}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  );
};
