import type { BrowserContext, Locator } from 'playwright-core'

/** Counts what a person clicks in the pages of a browser. What is typed is not counted. */
export class Clicks {
  count = 0

  /** Counts in all pages that are opened from now on: each press of the mouse, whatever it hits. */
  async watch(context: BrowserContext): Promise<void> {
    await context.exposeBinding('countClick', () => {
      this.count += 1
    })
    await context.addInitScript(() => {
      const { countClick } = globalThis as unknown as { countClick: () => void }
      // Where something moves, Playwright stops the press at the window, and presses again.
      document.addEventListener('pointerdown', () => countClick(), true)
    })
  }

  /** Chooses from a list of the browser, which a person opens with one click and chooses from with another. */
  async choose(list: Locator, label: string): Promise<void> {
    await list.selectOption({ label })
    this.count += 2
  }
}
