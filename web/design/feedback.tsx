import type { ComponentChildren } from 'preact'
import { connection } from '../lib/connection.ts'
import { closeToast, runUndo, type Tone, toasts } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { type TaskName, taskTitles } from '../words/tasks.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** A short state. Its icon says the same as its colour; what is as it should be has a dot. */
export function Badge({
  tone = 'neutral',
  icon,
  outcome,
  title,
  children,
}: {
  tone?: Tone | undefined
  icon?: IconName | undefined
  /** The outcome whose colour it has. */
  outcome?: string | undefined
  /** A sentence that explains it. */
  title?: string | undefined
  children: ComponentChildren
}) {
  const shown = tone === 'good' ? undefined : (icon ?? (tone === 'neutral' ? undefined : tone))
  return (
    <span class="badge" data-tone={tone} data-outcome={outcome} title={title}>
      {shown !== undefined && <Icon name={shown} />}
      {children}
    </span>
  )
}

/** A state that needs no word: a dot. The word is its title, and for assistive technology. */
export function Dot({
  tone = 'good',
  isHollow = false,
  children,
}: {
  tone?: 'good' | 'warn' | 'bad' | 'neutral'
  /** Whether it is not certain. */
  isHollow?: boolean
  children: string
}) {
  return (
    <span class="dot" data-tone={tone} data-hollow={isHollow || undefined} title={children}>
      <span class="hidden-text">{children}</span>
    </span>
  )
}

export function PublishedBadge({ isPublished }: { isPublished: boolean }) {
  return isPublished ? <Dot>{words.published}</Dot> : <Badge>{words.unpublished}</Badge>
}

/** A message on the page. Faults are announced to assistive technology. */
export function Notice({
  tone = 'neutral',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}) {
  return (
    <div class="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** Sentences of the API that warn, each in a notice. */
export function Warnings({ texts = [] }: { texts?: readonly string[] | undefined }) {
  return texts.map((text) => (
    <Notice key={text} tone="warn">
      {text}
    </Notice>
  ))
}

/** What a list without entries shows: what it is for, and the next step. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** A link to another site, in another tab. */
export function OutLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

/** A link to a page about a task of an operator (`docs/tasks/`). */
export function HelpLink({ page }: { page: TaskName }) {
  return <a href={`/help/${page}`}>{taskTitles[page]}</a>
}

/** A text, mostly of the API, in which each page of `docs/` that it names is a link to the help. */
export function HelpText({ text }: { text: string }) {
  return text.split(/\bdocs\/(?:tasks\/)?([\w-]+)\.md\b/).map((part, index) => {
    if (index % 2 === 0) return part
    const title = (taskTitles as Record<string, string>)[part] ?? `${words.help}: ${part}`
    return (
      <a key={part} href={`/help/${part}`}>
        {title}
      </a>
    )
  })
}

const lines = ['90%', '70%', '80%', '60%']

/** The place of content that is loading. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label={words.loading}>
      {lines.map((width) => (
        <i key={width} style={{ width }} />
      ))}
    </div>
  )
}

/** The messages of `showToast`. Stands once in the page. */
export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class="notice toast" data-tone={toast.tone}>
          <span>{toast.text}</span>
          {toast.undo !== undefined && (
            <Button kind="plain" onClick={() => void runUndo(toast)}>
              {words.undo}
            </Button>
          )}
          <Button kind="plain" onClick={() => closeToast(toast.id)}>
            {words.close}
          </Button>
        </div>
      ))}
    </div>
  )
}

const open = (notice: HTMLElement | null) => notice?.showPopover()

/** Says that the connection is lost, above everything else, and disappears when it is restored. Stands once in the page. */
export function ConnectionNotice() {
  if (!connection.isClosed.value) return null
  return (
    <div ref={open} popover="manual" class="notice lost-connection" data-tone="warn" role="status">
      {words.connectionLost}
    </div>
  )
}
