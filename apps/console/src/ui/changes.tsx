import type { ReactNode } from 'react';
import { plural } from '../format';

interface Change {
  readonly field: string;
  readonly before?: boolean | number | string | null;
  readonly after?: boolean | number | string | null;
}

const Value = ({ value }: { readonly value: Change['before'] }): ReactNode =>
  value === undefined || value === null ? <span className="none">nothing</span> : <code>{String(value)}</code>;

const isAbsent = (value: Change['before']): boolean => value === undefined || value === null;

const kindOf = ({ before, after }: Change): 'added' | 'changed' | 'removed' =>
  isAbsent(before) ? 'added' : isAbsent(after) ? 'removed' : 'changed';

/** Changes of a configuration, member by member: what was before, and what is after. */
export const Changes = ({
  changes,
  total = changes.length,
}: {
  readonly changes: readonly Change[];
  readonly total?: number;
}): ReactNode => (
  <>
    <ul className="changes">
      {changes.map((change) => {
        const kind = kindOf(change);
        return (
          <li key={change.field} className={kind}>
            <code className="changes-field">{change.field}</code>
            <span className="changes-values">
              <span className="changes-kind">{kind}</span>{' '}
              {kind === 'added' ? null : (
                <del>
                  <Value value={change.before} />
                </del>
              )}
              {kind === 'changed' ? <span className="muted"> becomes </span> : null}
              {kind === 'removed' ? null : (
                <ins>
                  <Value value={change.after} />
                </ins>
              )}
            </span>
          </li>
        );
      })}
    </ul>
    {total > changes.length ? <p className="muted">And {plural(total - changes.length, 'more change')}.</p> : null}
  </>
);
