// A page worked by the keyboard alone: Tab to what is wanted, then Enter, Space, arrows or digits. Every stop on the way
// must show that it has the focus.

const focused = () => {
  const element = document.activeElement;
  const outlined = (one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  };
  // A control that lies unseen over its label or before its segment shows the focus there.
  const shown = [element, element.closest('label'), element.nextElementSibling];
  return {
    id: element.dataset.testid ?? null,
    at: `${element.tagName} ${element.dataset.testid ?? element.className}`,
    // A window that is not active shows no focus, and Firefox's does not always stay so while it is driven. No other may.
    visible:
      element === document.body ||
      (navigator.userAgent.includes('Firefox') && !document.hasFocus()) ||
      shown.some((one) => one !== null && outlined(one)),
  };
};

export class Keys {
  constructor(page) {
    this.page = page;
    /** Stops that did not show their focus. */
    this.unseen = new Set();
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Tab until the control has the focus. */
  async to(id, most = 150) {
    const passed = [];
    for (let i = 0; i < most; i += 1) {
      const { id: here, at, visible } = await this.page.evaluate(focused);
      if (!visible) this.unseen.add(at);
      if (here === id) return;
      passed.push(at);
      await this.press('Tab');
    }
    throw new Error(`Tab does not lead to '${id}' but to: ${passed.slice(-30).join(', ')}`);
  }

  /** Replaces what stands in a field. */
  async type(id, text) {
    await this.to(id);
    await this.page.keyboard.down('Control');
    await this.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(String(text));
  }
}
