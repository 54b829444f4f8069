import { h } from '../dom.ts';
import { t } from '../texts.ts';

/** Asks before something that can't be undone; true if confirmed. Leaving the tool cancels. */
export function confirmed(title: string, why: string, details: string, action: string): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (): void => dialog.close();
    const dialog = h(
      'dialog',
      {
        class: 'dialog',
        role: 'alertdialog',
        'aria-labelledby': 'confirm-title',
        'aria-describedby': 'confirm-why',
        on: {
          // The browser restores the focus, also after Escape.
          close: () => {
            removeEventListener('hashchange', leave);
            dialog.remove();
            resolve(dialog.returnValue === 'yes');
          },
        },
      },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: 'confirm-title' }, title),
        h('p', { id: 'confirm-why' }, why),
        h('pre', { class: 'plain-text', tabindex: 0, role: 'region', 'aria-label': t('arguments') }, details),
        h(
          'div',
          { class: 'row end' },
          h('button', { class: 'button', autofocus: true, value: 'no' }, t('cancel')),
          h('button', { class: 'button danger', value: 'yes' }, action),
        ),
      ),
    );
    addEventListener('hashchange', leave);
    document.body.append(dialog);
    dialog.showModal();
  });
}
