import { useEffect, useRef, type ReactNode } from 'react';
import { Icon } from './icons';

interface MenuProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A button that shows further ones. Esc, a click elsewhere or another menu closes it. */
export const Menu = ({ label, className = '', children }: MenuProps): ReactNode => {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: PointerEvent): void => {
      const shown = menu.current;
      if (shown !== null && target instanceof Node && !shown.contains(target)) shown.open = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  return (
    <details
      ref={menu}
      className={`menu more ${className}`}
      name="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary>
        {label} <Icon name="down" />
      </summary>
      <div className="menu-body">{children}</div>
    </details>
  );
};
