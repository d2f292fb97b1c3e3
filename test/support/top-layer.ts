/** Adds modal dialogs and popovers to jsdom, as far as the components use them. */
export function polyfillTopLayer(): void {
  const dialog = HTMLDialogElement.prototype;
  dialog.showModal ??= function showModal() {
    this.open = true;
  };
  dialog.close ??= function close() {
    this.open = false;
  };
  const element = HTMLElement.prototype;
  element.showPopover ??= function showPopover() {
    toggle(this, 'open');
  };
  element.hidePopover ??= function hidePopover() {
    toggle(this, 'closed');
  };
  if (document.documentElement.dataset['topLayer']) return;
  document.documentElement.dataset['topLayer'] = 'polyfilled';
  document.addEventListener('click', ({ target }) => {
    const id =
      target instanceof Element ? target.closest('[popovertarget]')?.getAttribute('popovertarget') : null;
    const popover = id ? document.getElementById(id) : null;
    if (popover) toggle(popover, popover.dataset['open'] ? 'closed' : 'open');
  });
}

function toggle(popover: HTMLElement, newState: 'open' | 'closed'): void {
  if (newState === 'open') popover.dataset['open'] = 'true';
  else delete popover.dataset['open'];
  popover.dispatchEvent(Object.assign(new Event('toggle'), { newState }));
}
