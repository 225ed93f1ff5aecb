import type { ComponentChildren } from 'preact'
import { useAction } from '../lib/use-action.ts'
import { Button } from './button.tsx'

/** A button that runs an action: busy meanwhile, with a message that says what went wrong. */
export function ActionButton({
  action,
  ...button
}: {
  action: () => Promise<unknown>
  kind?: 'primary' | 'plain'
  disabled?: boolean
  'aria-label'?: string
  children: ComponentChildren
}) {
  const { isBusy, run } = useAction()
  return <Button {...button} isBusy={isBusy} onClick={() => void run(action)} />
}
