import { useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from '@tanstack/react-router';

interface PageProps {
  /** Heading of the screen and name of the browser's tab. */
  readonly title: string;
  /** Shown in place of the title, if the heading is more than a text. */
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  /** Buttons and links at the end of the heading's line. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

let isFirstOfVisit = true;

const isFocusInContent = (): boolean => document.activeElement?.closest('main') != null;

/** A screen: one `h1`, which gets the focus when the screen changes, so that a screen reader begins there. */
export const Page = ({ title, heading, lead, actions, children }: PageProps): ReactNode => {
  const first = useRef<HTMLHeadingElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  const focusedPath = useRef(path);
  useEffect(() => {
    // The first page of a visit keeps the browser's own place of focus. A page that replaces the former one finds the focus nowhere.
    const isOther = focusedPath.current !== path;
    if (!isFirstOfVisit && (isOther || !isFocusInContent())) first.current?.focus({ preventScroll: true });
    isFirstOfVisit = false;
    focusedPath.current = path;
  }, [path]);
  return (
    <>
      <header className="page-head">
        <div>
          <h1 ref={first} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead === undefined ? null : <div className="lead">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** A frame around it, for what stands beside others. */
  readonly isCard?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a screen under its own `h2`. */
export const Section = ({ title, actions, isCard = false, className = '', children }: SectionProps): ReactNode => (
  <section className={`section ${isCard ? 'card' : ''} ${className}`} aria-label={title}>
    <div className="section-head">
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
);
