import type { ReactNode } from 'react';
import { Page } from '../../ui/page';

export const Order = (): ReactNode => <Page title="Order">{null}</Page>;
