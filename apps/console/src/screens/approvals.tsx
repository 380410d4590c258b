import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Approvals = (): ReactNode => <Page title="Approvals">{null}</Page>;
