import { useState } from 'preact/hooks'
import { showToast } from './toasts.ts'

/** Runs an action of a button: `isBusy` meanwhile, and a message with what went wrong. */
export function useAction() {
  const [isBusy, setBusy] = useState(false)
  return {
    isBusy,
    run: async (action: () => Promise<unknown>) => {
      setBusy(true)
      try {
        await action()
      } catch (error) {
        showToast((error as Error).message, 'bad')
      }
      setBusy(false)
    },
  }
}
