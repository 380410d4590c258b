import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Gates = (): ReactNode => <Page title="Gates and routing">{null}</Page>;
