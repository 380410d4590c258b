import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../ui/page';
import { Empty, ErrorNotice } from '../ui/states';

export const UnknownScreen = (): ReactNode => (
  <Page title="No such page">
    <Empty title="The console has no page at this address" actions={<Link to="/">Go to the overview</Link>}>
      The address may be of another release, or cut off.
    </Empty>
  </Page>
);

/** A fault of a screen stays within the frame. */
export const BrokenScreen = ({ error, reset }: ErrorComponentProps): ReactNode => (
  <Page title="A fault">
    <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  </Page>
);
