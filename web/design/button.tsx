import type { ComponentChildren, JSX } from 'preact'
import { useAction } from '../lib/use-action.ts'

type Kind = 'primary' | 'normal' | 'danger' | 'plain'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'children'> & {
  kind?: Kind
  isBusy?: boolean
  children: ComponentChildren
}

/** A button. While `isBusy` it shows progress and ignores clicks. */
export function Button({ kind = 'normal', isBusy = false, children, ...rest }: ButtonProps) {
  const { onClick, disabled, type = 'button' } = rest
  return (
    <button
      {...rest}
      type={type}
      class="button"
      data-kind={kind}
      aria-busy={isBusy}
      disabled={disabled}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  )
}

export function ButtonLink({
  href,
  kind = 'normal',
  download,
  children,
}: {
  href: string
  kind?: Kind
  /** The name of the file that it downloads; undefined for a page. */
  download?: string
  children: ComponentChildren
}) {
  return (
    <a class="button" data-kind={kind} href={href} download={download}>
      {children}
    </a>
  )
}

/** A button that runs an action: busy meanwhile, with a message that says what went wrong. */
export function ActionButton({
  action,
  ...button
}: Omit<ButtonProps, 'isBusy' | 'onClick'> & { action: () => Promise<unknown> }) {
  const { isBusy, run } = useAction()
  return <Button {...button} isBusy={isBusy} onClick={() => void run(action)} />
}
