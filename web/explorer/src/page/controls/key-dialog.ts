import type { Api } from '../api.ts';
import { h } from '../dom.ts';
import { t } from '../texts.ts';

/** Asks for the key in a dialog; true when the key was changed. */
export function askForKey(api: Api, rejected: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const input = h('input', {
      type: 'password',
      id: 'access-key',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'access-help',
    });
    input.value = api.token;
    const finish = (token: string | null): void => {
      const changed = token !== null && token !== api.token;
      if (token !== null) api.token = token;
      dialog.close();
      dialog.remove();
      resolve(changed);
    };
    const form = h(
      'form',
      {
        method: 'dialog',
        on: {
          submit: (event) => {
            event.preventDefault();
            finish(input.value);
          },
        },
      },
      h('h2', { id: 'access-title' }, rejected ? t('accessTitle') : t('access')),
      rejected && api.token !== '' && h('p', { class: 'notice bad', role: 'alert' }, t('accessWrong')),
      h('p', { id: 'access-help', class: 'muted' }, t('accessHelp')),
      h('label', { for: 'access-key' }, t('access')),
      input,
      h(
        'div',
        { class: 'row end' },
        api.token !== '' &&
          h(
            'button',
            { type: 'button', class: 'button', on: { click: () => finish('') } },
            t('accessForget'),
          ),
        h('button', { type: 'button', class: 'button', on: { click: () => finish(null) } }, t('cancel')),
        h('button', { type: 'submit', class: 'button primary' }, t('accessUse')),
      ),
    );
    const dialog = h(
      'dialog',
      {
        class: 'dialog',
        'aria-labelledby': 'access-title',
        on: {
          cancel: (event) => {
            event.preventDefault();
            finish(null);
          },
        },
      },
      form,
    );
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
