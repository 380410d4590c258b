import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { isNotice, noticeIn } from './notice';
import { answerOf, port, type Schemas } from '../port';
import { OrderStatus } from '../ui/badge';
import { Dialog } from '../ui/dialog';
import { Field, textIn } from '../ui/field';
import { Money } from '../ui/parts';
import { Behind, ErrorNotice, Skeleton } from '../ui/states';
import { Time } from '../ui/time';

type Found = Schemas['Found'];
type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'searching' }
  | { readonly kind: 'found'; readonly found: Found; readonly q: string }
  | { readonly kind: 'failed'; readonly error: Error };

const SHOWN_MAX = 50;

/** Finds orders by an identifier of any kind, or by amount, day and last four digits. The search is recorded, so it starts with Enter and not with each letter. */
export const SearchDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const [state, setState] = useState<State>({ kind: 'open' });
  const navigate = useNavigate();

  const search = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const q = textIn(new FormData(event.currentTarget), 'q');
    if (q === '' || state.kind === 'searching') return;
    const notice = noticeIn(q);
    if (isNotice(notice)) {
      onClose();
      await navigate({ to: '/orders', search: notice });
      return;
    }
    setState({ kind: 'searching' });
    try {
      const found = await answerOf(port.GET('/orders/find', { params: { query: { q, limit: SHOWN_MAX } } }));
      const [only] = found.found;
      if (only !== undefined && found.found.length === 1) {
        onClose();
        await navigate({ to: '/orders/$orderId', params: { orderId: only.order.orderId } });
      } else setState({ kind: 'found', found, q });
    } catch (error) {
      setState({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  return (
    <Dialog title="Search" onClose={onClose} isWide>
      <form role="search" className="search-form" onSubmit={(event) => void search(event)}>
        <Field
          label="Identifier, or amount, day and last four digits"
          hint={
            <>
              An order number, client order id, serial number, receipt, gate reference, card reference or callback. Or a text such as{' '}
              <code>67.90 EUR 2026-11-22 2822</code>. The search is recorded.
            </>
          }
        >
          {(tied) => <input {...tied} type="search" name="q" maxLength={256} autoComplete="off" spellCheck={false} />}
        </Field>
        <button type="submit" className="primary" aria-disabled={state.kind === 'searching'}>
          Search
        </button>
      </form>
      <div aria-live="polite">
        {state.kind === 'searching' ? <Skeleton lines={3} /> : null}
        {state.kind === 'failed' ? <ErrorNotice error={state.error} /> : null}
        {state.kind === 'found' ? <Results state={state} onClose={onClose} /> : null}
      </div>
    </Dialog>
  );
};

interface ResultsProps {
  readonly state: Extract<State, { readonly kind: 'found' }>;
  readonly onClose: () => void;
}

const Results = ({ state: { found, q }, onClose }: ResultsProps): ReactNode => (
  <>
    {found.index === undefined ? null : <Behind isMissing={found.index === 'missing'} />}
    {found.found.length === 0 ? (
      <p>
        No order that you may see has <code>{q}</code>. By amount, day or last four digits:{' '}
        <Link to="/orders" search={noticeIn(q)} onClick={onClose}>
          filter the orders
        </Link>
        .
      </p>
    ) : (
      <ul className="found">
        {found.found.map(({ by, order }) => (
          <li key={order.orderId}>
            <Link to="/orders/$orderId" params={{ orderId: order.orderId }} onClick={onClose}>
              {order.orderId}
            </Link>
            <OrderStatus status={order.status} />
            <Money amount={order.amount} currency={order.currency} />
            <span>{order.merchant}</span>
            <Time at={order.acceptedAt} />
            <span className="muted">by {by.join(', ')}</span>
          </li>
        ))}
      </ul>
    )}
    {found.next === undefined ? null : <p className="muted">There are more than {SHOWN_MAX}. Use the filters of the orders.</p>}
  </>
);
