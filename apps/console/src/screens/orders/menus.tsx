import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { parseSearch, stringifySearch } from '../../app/search';
import { count, plural } from '../../format';
import { useSavedViews } from '../../preferences';
import { saveFile, type FileFormat } from '../../save-file';
import { Dialog } from '../../ui/dialog';
import { Field, textIn } from '../../ui/field';
import { Icon } from '../../ui/icons';
import { Menu } from '../../ui/menu';
import { copyText } from '../../ui/parts';
import { alarm, tell } from '../../ui/toasts';
import { ordersSearch, type OrderFilters } from '../orders.search';
import { exportOrders, EXPORT_ROWS_MAX } from './export';
import { COLUMNS, type ColumnName } from './filters';

interface ColumnsProps {
  readonly shown: readonly ColumnName[];
  readonly onChange: (shown: readonly ColumnName[]) => void;
}

/** Which columns are shown: kept in this browser, and in the address. */
export const ColumnsMenu = ({ shown, onChange }: ColumnsProps): ReactNode => (
  <Menu label="Columns" className="columns-menu">
    <fieldset>
      <legend className="hidden">Columns</legend>
      {(Object.keys(COLUMNS) as ColumnName[]).map((name) => {
        const isShown = shown.includes(name);
        return (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={isShown}
              // One column besides the order must stay.
              disabled={isShown && shown.length === 1}
              onChange={() => onChange(isShown ? shown.filter((one) => one !== name) : [...shown, name])}
            />
            {COLUMNS[name]}
          </label>
        );
      })}
    </fieldset>
  </Menu>
);

interface ViewsProps {
  readonly filters: OrderFilters;
  readonly columns: string | undefined;
}

/** Filters and columns under a name, kept in this browser. The address of the page shares them. */
export const ViewsMenu = ({ filters, columns }: ViewsProps): ReactNode => {
  const { views, save, remove } = useSavedViews('/orders');
  const [isSaving, setSaving] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const name = textIn(new FormData(event.currentTarget), 'name');
    if (name === '') {
      setFault('Give it a name.');
      return;
    }
    save({ name, search: stringifySearch({ ...filters, columns }) });
    setSaving(false);
    tell(`View ${name} saved in this browser`);
  };
  return (
    <>
      <Menu label="Views">
        {views.length === 0 ? <p className="muted menu-text">No view is saved in this browser.</p> : null}
        {views.map(({ name, search }) => (
          <div key={name} className="view">
            <Link
              to="/orders"
              search={ordersSearch(parseSearch(search))}
              onClick={({ currentTarget }) => currentTarget.closest('details')?.removeAttribute('open')}
            >
              {name}
            </Link>
            <button type="button" className="quiet square" aria-label={`Remove view ${name}`} onClick={() => remove(name)}>
              <Icon name="cross" />
            </button>
          </div>
        ))}
        <hr />
        <button
          type="button"
          className="quiet"
          onClick={({ currentTarget }) => {
            const menu = currentTarget.closest('details');
            menu?.removeAttribute('open');
            // A closed menu cannot take the focus back from the dialog.
            menu?.querySelector('summary')?.focus();
            setFault(undefined);
            setSaving(true);
          }}
        >
          Save these filters…
        </button>
        <button type="button" className="quiet" onClick={() => void copyText(location.href, 'Address')}>
          Copy the address
        </button>
      </Menu>
      {isSaving ? (
        <Dialog title="Save these filters" onClose={() => setSaving(false)}>
          <form className="action" noValidate onSubmit={submit}>
            <Field label="Name" hint="Kept in this browser. To share a view, copy the address of the page." error={fault}>
              {(tied) => <input {...tied} name="name" maxLength={60} autoComplete="off" autoFocus />}
            </Field>
            <div className="dialog-buttons">
              <button type="button" onClick={() => setSaving(false)}>
                Cancel
              </button>
              <button type="submit" className="primary">
                Save
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
};

/** All orders of the filters as a file, not only the shown ones. */
export const ExportMenu = ({ filters }: { readonly filters: OrderFilters }): ReactNode => {
  const [pages, setPages] = useState<number>();
  const run = async (format: FileFormat): Promise<void> => {
    setPages(0);
    try {
      const { text, isCut } = await exportOrders(filters, format, setPages);
      saveFile('orders', format, text);
      if (isCut) alarm(`The file has the newest ${count(EXPORT_ROWS_MAX)} orders, or fewer. There are more: choose a shorter time.`);
      else tell('Orders exported');
    } catch (error) {
      alarm(`Nothing was exported: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      setPages(undefined);
    }
  };
  return (
    <Menu label={pages === undefined ? 'Export' : pages === 0 ? 'Exporting…' : `Exporting, ${plural(pages, 'page')}`}>
      {(['csv', 'ndjson'] as const).map((format) => (
        <button
          key={format}
          type="button"
          className="quiet"
          aria-disabled={pages !== undefined}
          onClick={({ currentTarget }) => {
            currentTarget.closest('details')?.removeAttribute('open');
            if (pages === undefined) void run(format);
          }}
        >
          {format.toUpperCase()}
        </button>
      ))}
      <p className="muted menu-text">All orders of these filters, at most {count(EXPORT_ROWS_MAX)}. The export is recorded.</p>
    </Menu>
  );
};
