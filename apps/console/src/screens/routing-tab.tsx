import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useReading } from '../app/reading';
import { useSession } from '../app/session';
import { port, type Schemas } from '../port';
import { Badge } from '../ui/badge';
import { Field, focusField, textIn } from '../ui/field';
import { Section } from '../ui/page';
import { Facts, Money } from '../ui/parts';
import { Empty, Notice, Result } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Time } from '../ui/time';
import { choiceText, conditionsText, entryPointsOf, type EntryPoint, type Rule } from './entry-points';
import { choiceSentence, passedOverText, sharePercent } from './gate-words';
import { gatesSearch, OPERATIONS, type GatesSearch } from './gates.search';

type Explanation = Schemas['RouteExplanation'];

const route = getRouteApi('/gates');

const WORDS: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
  sale: 'Sale',
  preauth: 'Preauthorisation',
  'account-verification': 'Account verification',
  transfer: 'Transfer',
};

const FAULTS: Readonly<Record<string, string>> = {
  endpoint: 'Enter the number of an entry point or a group, such as 1001.',
  amount: 'Enter an amount in major units, such as 10.00.',
  bin: 'Enter the first six digits of the card number, and no more.',
  country: 'Enter a country in three capital letters, such as DEU.',
  currency: 'Enter a currency in three capital letters, such as EUR.',
};

export const Routing = (): ReactNode => {
  const search = route.useSearch();
  // An address of a person never becomes part of a page's address.
  const [customer, setCustomer] = useState<string>();
  return (
    <div className="routing">
      <Question key={JSON.stringify({ ...search, rules: undefined })} search={search} customer={customer} onCustomer={setCustomer} />
      <Answer search={search} customer={customer} />
    </div>
  );
};

interface QuestionProps {
  readonly search: GatesSearch;
  readonly customer: string | undefined;
  readonly onCustomer: (customer: string | undefined) => void;
}

const Question = ({ search, customer, onCustomer }: QuestionProps): ReactNode => {
  const navigate = useNavigate();
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set());
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const given = Object.fromEntries(
      [...fields].map(([name, value]) => {
        const text = typeof value === 'string' ? value.trim() : '';
        return [name, name === 'country' || name === 'currency' ? text.toUpperCase() : text];
      }),
    );
    const asked = gatesSearch({ ...given, tab: 'routing', rules: search.rules });
    const faulty = Object.keys(FAULTS).filter(
      (name) => asked[name as keyof GatesSearch] === undefined && (given[name] !== '' || name === 'endpoint' || name === 'amount'),
    );
    setWrong(new Set(faulty));
    const [first] = faulty;
    if (first !== undefined) {
      focusField(form, first);
      return;
    }
    onCustomer(textIn(fields, 'customer') || undefined);
    void navigate({ to: '/gates', search: asked, resetScroll: false });
  };
  const errorOf = (name: string): string | undefined => (wrong.has(name) ? FAULTS[name] : undefined);
  return (
    <form className="section card" noValidate onSubmit={submit} aria-label="The order to explain">
      <h2>An order</h2>
      <div className="field-pair">
        <Field label="Entry point" hint="Or a group of them." error={errorOf('endpoint')}>
          {(tied) => (
            <input
              {...tied}
              name="endpoint"
              defaultValue={search.endpoint}
              inputMode="numeric"
              maxLength={20}
              autoComplete="off"
              required
            />
          )}
        </Field>
        <Field label="Amount" error={errorOf('amount')}>
          {(tied) => <input {...tied} name="amount" defaultValue={search.amount} inputMode="decimal" autoComplete="off" required />}
        </Field>
        <Field label="BIN" isOptional hint="The first six digits of the card." error={errorOf('bin')}>
          {(tied) => <input {...tied} name="bin" defaultValue={search.bin} inputMode="numeric" maxLength={6} autoComplete="off" />}
        </Field>
        <Field label="Operation">
          {(tied) => (
            <select {...tied} name="operation" defaultValue={search.operation ?? 'sale'}>
              {OPERATIONS.map((operation) => (
                <option key={operation} value={operation}>
                  {WORDS[operation]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <details open={[search.currency, search.country, search.at, customer].some((value) => value !== undefined)}>
        <summary>Currency, country, time, customer</summary>
        <div className="field-pair">
          <Field label="Currency" isOptional hint="Otherwise that of the entry point." error={errorOf('currency')}>
            {(tied) => <input {...tied} name="currency" defaultValue={search.currency} maxLength={3} autoComplete="off" />}
          </Field>
          <Field label="Country of the card" isOptional hint="Otherwise as the gates report it." error={errorOf('country')}>
            {(tied) => <input {...tied} name="country" defaultValue={search.country} maxLength={3} autoComplete="off" />}
          </Field>
          <Field label="Time in UTC" isOptional hint="Otherwise now.">
            {(tied) => <input {...tied} name="at" type="datetime-local" defaultValue={search.at} />}
          </Field>
          <Field
            label="Customer’s e-mail address"
            isOptional
            hint="Selects the gate of a split. Neither stored nor part of this page’s address."
          >
            {(tied) => <input {...tied} name="customer" type="email" defaultValue={customer} maxLength={254} autoComplete="off" />}
          </Field>
        </div>
      </details>
      <div>
        <button type="submit" className="primary">
          Explain the route
        </button>
      </div>
    </form>
  );
};

const Answer = ({ search, customer }: Omit<QuestionProps, 'onCustomer'>): ReactNode => {
  const { endpoint, amount, operation, currency, bin, country, at } = search;
  const question = {
    endpoint: endpoint ?? '',
    amount: amount ?? '',
    ...(operation !== undefined && { operation }),
    ...(currency !== undefined && { currency }),
    ...(bin !== undefined && { bin }),
    ...(country !== undefined && { country }),
    ...(at !== undefined && { at: `${at}:00Z` }),
    ...(customer !== undefined && { customer }),
  };
  const isAsked = endpoint !== undefined && amount !== undefined;
  const query = useReading({
    key: ['/routes/explanation', question],
    ask: (signal) => port.POST('/routes/explanation', { body: question, signal }),
    isEnabled: isAsked,
  });
  if (!isAsked)
    return (
      <Empty title="Describe an order">
        The answer names the rule that applies, the gates in their order, and the gates and rules that were left out.
      </Empty>
    );
  return (
    <div className="section">
      {query.error !== null && 'status' in query.error && query.error.status === 409 ? (
        <Notice tone="warn" icon="stop" title="No such order would be accepted">
          {query.error.message.replace(/^no such order would be accepted: /, 'The service gives the cause as ')}.
        </Notice>
      ) : (
        <Result query={query}>{(explanation) => <Explained explanation={explanation} asked={endpoint} />}</Result>
      )}
      <RulesInForce search={search} {...(query.data !== undefined && { explanation: query.data })} />
    </div>
  );
};

const Explained = ({ explanation, asked }: { readonly explanation: Explanation; readonly asked: string }): ReactNode => {
  const { endpoint, rule, gates, shares, commissions, leftOut, heldGates, passedOver, facts } = explanation;
  return (
    <Section title="The route" isCard>
      <p className="route-words">
        {rule === 'default' ? (
          <>
            {passedOver.length === 0 ? 'The entry point has no routing rules' : 'No rule matched'}, so the gates of entry point{' '}
            <strong>{endpoint}</strong> are used as listed.
          </>
        ) : (
          <>
            The rule <strong>{rule}</strong> of entry point <strong>{endpoint}</strong> matched.
          </>
        )}{' '}
        {choiceSentence(explanation)}
      </p>
      {endpoint === asked ? null : (
        <p className="muted">
          {asked} is a group: entry point {endpoint} of it serves this order.
        </p>
      )}
      <ol className="gate-order" aria-label="Gates in the order of attempts">
        {gates.map((gate) => {
          const share = shares?.find((one) => one.gate === gate);
          const commission = commissions?.find((one) => one.gate === gate);
          return (
            <li key={gate}>
              <strong>{gate}</strong>
              {share === undefined || shares === undefined || gates.length === 1 ? null : (
                <span className="muted">{sharePercent(share.weight, shares)} % of the draws</span>
              )}
              {commission === undefined ? null : (
                <span className="muted">
                  commission <Money amount={commission.commission} currency={facts.currency} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {gates.length > 1 ? (
        <p className="muted">The next gate is tried only if the one before declined with a code that allows it, or could not be asked.</p>
      ) : null}
      {leftOut.length + heldGates.length === 0 ? null : (
        <ul className="route-list" aria-label="Gates that were left out">
          {leftOut.map((gate) => (
            <li key={gate}>
              <Badge tone="bad">Left out</Badge> <strong>{gate}</strong>: its circuit is open in the process that answered.
            </li>
          ))}
          {heldGates.map((gate) => (
            <li key={gate}>
              <Badge tone="warn" icon="pause">
                Left out
              </Badge>{' '}
              <strong>{gate}</strong>: an operator holds it.
            </li>
          ))}
        </ul>
      )}
      {passedOver.length === 0 ? null : (
        <>
          <h3>Rules that were passed over</h3>
          <ol className="route-list">
            {passedOver.map(({ rule: name, failed }) => (
              <li key={name}>
                <strong>{name}</strong>: {passedOverText(failed)}.
              </li>
            ))}
          </ol>
        </>
      )}
      <h3>What was known of the order</h3>
      <Facts
        facts={[
          { label: 'Amount', value: <Money amount={facts.amount} currency={facts.currency} /> },
          { label: 'BIN', value: facts.bin },
          { label: 'Card brand', value: facts.brand },
          { label: 'Country of the card', value: facts.country },
          { label: 'Time', value: <Time at={facts.at} /> },
        ]}
      />
    </Section>
  );
};

const ruleColumns = ({ currency }: EntryPoint): readonly Column<Rule>[] => [
  { key: 'name', head: 'Rule', cell: ({ name }) => name },
  { key: 'when', head: 'Applies', isText: true, cell: ({ when }) => conditionsText(when, currency) },
  { key: 'then', head: 'Gates', isText: true, cell: ({ choice }) => choiceText(choice) },
];

/** All rules of the entry point, on demand: the port records who read the configuration. */
const RulesInForce = ({ search, explanation }: { readonly search: GatesSearch; readonly explanation?: Explanation }): ReactNode => {
  const { can, merchants } = useSession();
  // The configuration is that of all merchants.
  const isShown = search.rules === true && can('investigator') && merchants === null;
  const query = useReading({
    key: ['/audit/configuration'],
    ask: (signal) => port.GET('/audit/configuration', { signal }),
    isEnabled: isShown,
  });
  if (!can('investigator')) return null;
  const id = explanation?.endpoint ?? search.endpoint;
  return (
    <Section
      title={`Rules of entry point ${id}`}
      actions={
        <div className="page-actions">
          {merchants === null ? (
            <Link
              to="/gates"
              search={{ ...search, rules: isShown ? undefined : true }}
              className="button"
              activeOptions={{ exact: true }}
              resetScroll={false}
            >
              {isShown ? 'Hide the rules' : 'Show the rules'}
            </Link>
          ) : null}
          <Link to="/what-if" search={{ endpoint: id }} className="button">
            Try other rules
          </Link>
        </div>
      }
    >
      {isShown ? (
        <Result query={query} lines={3}>
          {({ configuration, tookEffectAt }) => {
            const found = entryPointsOf(configuration).find((one) => one.id === id);
            if (found === undefined) return <p className="muted">The recorded configuration has no such entry point.</p>;
            return (
              <div className="section">
                <p className="muted">
                  In force since <Time at={tookEffectAt} />. The first rule that applies is used; without one, {found.gates.join(', then ')}
                  .
                </p>
                {found.rules.length === 0 ? (
                  <p className="muted">It has no routing rules.</p>
                ) : (
                  <Table
                    caption="Rules in their order"
                    columns={ruleColumns(found)}
                    rows={found.rules}
                    rowKey={({ name }) => name}
                    currentKey={explanation?.rule}
                    isShort
                  />
                )}
              </div>
            );
          }}
        </Result>
      ) : null}
    </Section>
  );
};
