import { Link, type LinkProps } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { count as counted, money } from '../format';
import { Icon } from './icons';
import { alarm, tell } from './toasts';

/** An amount in major units, as the port gives it. */
export const Money = ({ amount, currency }: { readonly amount: string; readonly currency: string }): ReactNode => (
  <span className="money">{money(amount, currency)}</span>
);

export const copyText = async (text: string, what: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied`);
  } catch {
    alarm(`The browser did not allow to copy. Mark the text instead: ${text}`);
  }
};

/** `what` names the text for those who do not see it: "Copy order number". */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }): ReactNode => (
  <button
    type="button"
    className="quiet square copy"
    aria-label={`Copy ${what}`}
    title={`Copy ${what}`}
    onClick={() => void copyText(text, what)}
  >
    <Icon name="copy" />
  </button>
);

/** An identifier in a fixed-width face, with its copy button. */
export const Id = ({ text, what }: { readonly text: string; readonly what: string }): ReactNode => (
  <span className="id">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </span>
);

export interface Fact {
  readonly label: string;
  /** Null and undefined are shown as a dash. */
  readonly value: ReactNode;
}

/** Labels with their values. */
export const Facts = ({ facts, isWide = false }: { readonly facts: readonly Fact[]; readonly isWide?: boolean }): ReactNode => (
  <dl className={isWide ? 'facts wide' : 'facts'}>
    {facts.map(({ label, value }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value ?? <span className="none">—</span>}</dd>
      </div>
    ))}
  </dl>
);

export interface Tab {
  readonly key: string;
  readonly label: string;
  readonly link: LinkProps;
  readonly count?: number | undefined;
}

/** Tabs are links, so that each has its address. */
export const Tabs = ({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
}): ReactNode => (
  <nav className="tabs" aria-label={label}>
    {tabs.map(({ key, label: word, link, count }) => (
      <Link
        key={key}
        {...link}
        // Otherwise every tab of the path would count as current.
        activeOptions={{ includeSearch: true, explicitUndefined: true }}
        activeProps={{}}
        aria-current={key === current ? 'page' : undefined}
        className="tab"
      >
        {word}
        {count === undefined ? null : <span className="count">{counted(count)}</span>}
      </Link>
    ))}
  </nav>
);

export interface Chip {
  readonly key: string;
  readonly label: string;
  readonly value: string;
}

interface ChipsProps {
  readonly chips: readonly Chip[];
  readonly onRemove: (key: string) => void;
  readonly onClear: () => void;
}

/** The filters in force, each of which can be removed. */
export const FilterChips = ({ chips, onRemove, onClear }: ChipsProps): ReactNode =>
  chips.length === 0 ? null : (
    <div className="chips" role="group" aria-label="Filters">
      {chips.map(({ key, label, value }) => (
        <button key={key} type="button" className="chip" aria-label={`Remove filter ${label}: ${value}`} onClick={() => onRemove(key)}>
          <span className="chip-label">{label}</span> {value}
          <Icon name="cross" />
        </button>
      ))}
      {chips.length > 1 ? (
        <button type="button" className="quiet" onClick={onClear}>
          Remove all
        </button>
      ) : null}
    </div>
  );

/** New entries wait behind a bar, so that a list never moves under the reader. */
export const NewBar = ({
  count,
  noun = 'new',
  onShow,
}: {
  readonly count: number;
  readonly noun?: string;
  readonly onShow: () => void;
}): ReactNode => (
  <div role="status" className="new-bar">
    {count === 0 ? null : (
      <button type="button" onClick={onShow}>
        {counted(count)} {noun}: show
      </button>
    )}
  </div>
);

interface LoadMoreProps {
  readonly shown: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** The end of a list: how many are shown, and the next page. */
export const LoadMore = ({ shown, hasMore, isLoading, onMore }: LoadMoreProps): ReactNode => (
  <div className="load-more">
    <span role="status">{hasMore ? `${counted(shown)} shown, there are more` : `${counted(shown)} shown, that is all`}</span>
    {hasMore ? (
      <button type="button" aria-disabled={isLoading} onClick={isLoading ? undefined : onMore}>
        {isLoading ? 'Loading…' : 'Load more'}
      </button>
    ) : null}
  </div>
);

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, word: string])[];
  readonly onChange: (value: Value) => void;
}

/** A few choices of which one holds, side by side. */
export const Choice = <Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): ReactNode => (
  <div className="choice" role="group" aria-label={label}>
    {options.map(([key, word]) => (
      <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
        {word}
      </button>
    ))}
  </div>
);

interface MoreProps {
  readonly summary: string;
  readonly children: () => ReactNode;
}

/** Made only when somebody opens it, as for raw JSON. */
export const OnDemand = ({ summary, children }: MoreProps): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
};
