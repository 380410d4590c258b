import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from './icons';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** Open while it is mounted. The browser keeps the focus inside; Esc closes; the focus returns to the opener. */
export const Dialog = ({ title, onClose, isWide = false, children }: DialogProps): ReactNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    // Otherwise the button that closes it would be first.
    shown?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        // The browser would first only clear a search field.
        if (event.key !== 'Escape' || !(event.target instanceof HTMLInputElement) || event.target.type !== 'search') return;
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="quiet square" aria-label="Close" onClick={onClose}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
};
