import type { ReactNode } from 'react';
import { Dialog } from '../ui/dialog';
import { shortcutsNow } from './shortcuts';

const FIXED = [
  { keys: 'Enter', label: 'Open the row' },
  { keys: 'Esc', label: 'Close a dialog' },
];

/** All keys that work on this screen. */
export const HelpDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl className="keys">
      {[...shortcutsNow(), ...FIXED].map(({ keys, label }) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
    <p className="muted">Single letters do nothing while a field has the focus.</p>
  </Dialog>
);
