import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { connection } from '../lib/connection.ts'
import type { Loaded } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Notice, Skeleton } from './feedback.tsx'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import { PageMenu } from './page-menu.tsx'

/** The list that a record belongs to. */
export interface Back {
  href: string
  label: string
}

/** A screen: the way back to its list, its title, its actions and its content. */
export function Page({
  title,
  back,
  badge,
  actions,
  menu,
  children,
}: {
  title: string
  back?: Back | undefined
  /** Beside the title, such as the state of a record. */
  badge?: ComponentChildren
  actions?: ComponentChildren
  /** Links and buttons that stand first in its menu. */
  menu?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`
  }, [title])
  return (
    <>
      <div class="page-head">
        <div>
          {back !== undefined && (
            <a class="page-back" href={back.href}>
              <Icon name="back" />
              {back.label}
            </a>
          )}
          <div class="row">
            <h1>
              <LongText text={title} />
            </h1>
            {badge}
          </div>
        </div>
        <div class="row">
          {actions}
          <PageMenu>{menu}</PageMenu>
        </div>
      </div>
      {children}
    </>
  )
}

/** A record: what it is and does on the left; its state, use and last events on the right. Both below each other where both do not fit. */
export function RecordLayout({
  side,
  isSideWide = false,
  children,
}: {
  side: ComponentChildren
  /** Whether both have the same width, such as for a preview. */
  isSideWide?: boolean | undefined
  children: ComponentChildren
}) {
  return (
    <div class="record" data-side={isSideWide ? 'wide' : undefined}>
      <div>{children}</div>
      <div>{side}</div>
    </div>
  )
}

/** A card with a heading, such as one part of a page. */
export function Card({
  title,
  tools,
  children,
}: {
  title: string
  /** At the right of the heading: a link or a button. */
  tools?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="card" aria-label={title}>
      <div class="spread">
        <h2>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  )
}

/** Shows loaded data; a skeleton before, and the fault where it cannot be loaded. A screen has its title also without a connection. */
export function Show<Data>({
  loaded,
  back,
  children,
}: {
  loaded: Loaded<Data>
  /** For a whole screen: its list, to which a screen without its record leads back. */
  back?: Back
  children: (data: Data) => ComponentChildren
}) {
  const { data, fault, reload } = loaded
  const isMissing = fault?.status === 404
  const isLoading = fault === undefined && !connection.isClosed.value
  if (data === undefined && !isLoading && back !== undefined)
    return (
      <Page title={isMissing ? words.notFound : back.label} back={back}>
        <Show loaded={loaded}>{children}</Show>
      </Page>
    )
  return (
    <>
      {fault !== undefined && (
        <Notice tone="bad">
          <div class="spread">
            <span>{fault.message}</span>
            {!isMissing && <Button onClick={reload}>{words.retry}</Button>}
          </div>
        </Notice>
      )}
      {data === undefined ? fault === undefined && <Skeleton /> : children(data)}
    </>
  )
}
