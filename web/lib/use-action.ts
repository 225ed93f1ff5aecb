import { useState } from 'preact/hooks'
import { showToast } from './toasts.ts'

/** Runs an action of a button: `isBusy` meanwhile. `onFault` gets what went wrong; by default, it is a message. */
export function useAction(onFault = (fault: string) => showToast(fault, 'bad')) {
  const [isBusy, setBusy] = useState(false)
  return {
    isBusy,
    run: async (action: () => Promise<unknown>) => {
      setBusy(true)
      try {
        await action()
      } catch (error) {
        onFault((error as Error).message)
      }
      setBusy(false)
    },
  }
}
