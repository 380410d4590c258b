import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Orders = (): ReactNode => <Page title="Orders">{null}</Page>;
