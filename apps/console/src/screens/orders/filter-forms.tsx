import { useState, type FormEvent, type ReactNode } from 'react';
import { useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { port } from '../../port';
import { Dialog } from '../../ui/dialog';
import { Field, focusField, textIn } from '../../ui/field';
import { TimeField } from '../../ui/time-field';
import { FILTER_NAMES, type FilterName, type OrderFilters } from '../orders.search';
import { askedOf, faultsOf, FILTERS, GROUPS, writtenFilters } from './filters';

type Faults = ReturnType<typeof faultsOf>;

const writtenIn = (form: HTMLFormElement, names: readonly FilterName[]): Partial<Record<FilterName, string>> => {
  const fields = new FormData(form);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fields.get(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
};

interface InputProps {
  readonly name: FilterName;
  readonly initial: string | undefined;
  readonly fault: string | undefined;
  /** Offered while a person types. */
  readonly known?: readonly string[] | undefined;
  readonly label?: string;
  readonly isRequired?: boolean;
}

const FilterInput = ({ name, initial, fault, known, label, isRequired = false }: InputProps): ReactNode => {
  const { label: usual, hint: usualHint, choices, type, isNumber } = FILTERS[name];
  const hint = !isRequired ? usualHint : fault === undefined ? 'Needed with an amount.' : undefined;
  const word = label ?? usual;
  if (type === 'time') return <TimeField label={word} name={name} initial={initial} error={fault} />;
  return (
    <Field label={word} hint={hint} error={fault}>
      {(tied) =>
        choices !== undefined ? (
          <select {...tied} name={name} defaultValue={initial ?? ''}>
            <option value="">Any</option>
            {choices.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <>
            <input
              {...tied}
              name={name}
              type={type ?? 'text'}
              defaultValue={initial}
              autoComplete="off"
              spellCheck={false}
              maxLength={256}
              required={isRequired}
              {...(isNumber === true && { inputMode: 'decimal' })}
              {...(known !== undefined && { list: `${tied.id}-known` })}
            />
            {known === undefined ? null : (
              <datalist id={`${tied.id}-known`}>
                {known.map((value) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
};

const hasAmount = ({ amountFrom, amountTo }: OrderFilters): boolean => (amountFrom ?? amountTo) !== undefined;

/** The currency is needed as soon as somebody writes an amount. */
const useAmount = (filters: OrderFilters, onlyCurrency?: string) => {
  const [isWritten, setWritten] = useState(hasAmount(filters));
  const onInput = ({ currentTarget: form, target }: FormEvent<HTMLFormElement>): void => {
    const isThere = hasAmount(writtenFilters(writtenIn(form, ['amountFrom', 'amountTo'])));
    setWritten(isThere);
    const currency = form.elements.namedItem('currency');
    if (isThere && target !== currency && onlyCurrency !== undefined && currency instanceof HTMLInputElement && currency.value === '')
      currency.value = onlyCurrency;
  };
  return { isWritten, onInput };
};

interface QuickProps {
  readonly filters: OrderFilters;
  /** Of the listed orders. */
  readonly currencies: readonly string[];
  /** All orders have this one. */
  readonly onlyCurrency: string | undefined;
  readonly onApply: (filters: OrderFilters) => void;
  readonly onMore: () => void;
}

const QUICK = ['lastFour', 'currency', 'on', 'status'] as const;

/** What a notice of a dispute contains, in one line: card, amount and day. The other filters stay as they are. */
export const QuickFilters = ({ filters, currencies, onlyCurrency, onApply, onMore }: QuickProps): ReactNode => {
  const [faults, setFaults] = useState<Faults>(
    askedOf(filters) === filters ? {} : { currency: 'The list ignores the amount until it has a currency.' },
  );
  const amount = useAmount(filters, onlyCurrency);
  const { amountFrom, amountTo } = filters;
  const exact = amountFrom === amountTo ? amountFrom : undefined;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const sum = textIn(new FormData(form), 'amountFrom');
    const isRange = sum === '' && exact === undefined;
    const next = writtenFilters({
      ...filters,
      ...writtenIn(form, QUICK),
      ...(isRange ? {} : { amountFrom: sum, amountTo: sum }),
    });
    const found = faultsOf(next);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first === undefined) onApply(next);
    else focusField(form, first);
  };
  return (
    <form className="quick-filters" role="search" aria-label="Orders" noValidate onSubmit={submit} onInput={amount.onInput}>
      <FilterInput name="lastFour" initial={filters.lastFour} fault={faults.lastFour} />
      <FilterInput name="amountFrom" label="Amount" initial={exact} fault={faults.amountFrom} />
      <FilterInput name="currency" initial={filters.currency} fault={faults.currency} known={currencies} isRequired={amount.isWritten} />
      <FilterInput name="on" label="Around day" initial={filters.on} fault={faults.on} />
      <FilterInput name="status" initial={filters.status} fault={faults.status} />
      <div className="quick-buttons">
        <button type="submit" className="primary">
          Filter
        </button>
        <button type="button" onClick={onMore}>
          All filters
        </button>
      </div>
    </form>
  );
};

interface DialogProps {
  readonly filters: OrderFilters;
  readonly currencies: readonly string[];
  readonly onApply: (filters: OrderFilters) => void;
  readonly onClose: () => void;
}

/** Every filter of the port. */
export const FilterDialog = ({ filters, currencies, onApply, onClose }: DialogProps): ReactNode => {
  const amount = useAmount(filters);
  const { merchants } = useSession();
  const [faults, setFaults] = useState<Faults>({});
  const gates = useReading({ key: ['/gates'], ask: (signal) => port.GET('/gates', { signal }) });
  const known: Partial<Record<FilterName, readonly string[] | undefined>> = {
    merchant: merchants ?? undefined,
    currency: currencies,
    gate: gates.data?.gates.map(({ alias }) => alias),
    zone: Intl.supportedValuesOf('timeZone'),
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const next = writtenFilters(writtenIn(form, FILTER_NAMES));
    const found = faultsOf(next);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first === undefined) onApply(next);
    else focusField(form, first);
  };
  return (
    <Dialog title="All filters" isWide onClose={onClose}>
      <form className="all-filters" noValidate onSubmit={submit} onInput={amount.onInput}>
        {GROUPS.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            <div className="field-grid">
              {(Object.keys(FILTERS) as FilterName[])
                .filter((name) => FILTERS[name].group === group)
                .map((name) => (
                  <FilterInput
                    key={name}
                    name={name}
                    initial={filters[name]}
                    fault={faults[name]}
                    known={known[name]}
                    isRequired={name === 'currency' && amount.isWritten}
                  />
                ))}
            </div>
          </fieldset>
        ))}
        <div className="dialog-buttons all-filters-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Filter
          </button>
        </div>
      </form>
    </Dialog>
  );
};
