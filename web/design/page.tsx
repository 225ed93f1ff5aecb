import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Loaded } from '../lib/use-data.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Notice, Skeleton } from './feedback.tsx'

/** A screen: its title, its actions and its content. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`
  }, [title])
  return (
    <>
      <div class="spread">
        <h1>{title}</h1>
        <div class="row">{actions}</div>
      </div>
      {children}
    </>
  )
}

/** Shows loaded data; a skeleton before, and the fault where it cannot be loaded. */
export function Show<Data>({
  loaded,
  children,
}: {
  loaded: Loaded<Data>
  children: (data: Data) => ComponentChildren
}) {
  const { data, fault, reload } = loaded
  return (
    <>
      {fault !== undefined && (
        <Notice tone="bad">
          <div class="spread">
            <span>{fault.message}</span>
            <Button onClick={reload}>{words.retry}</Button>
          </div>
        </Notice>
      )}
      {data === undefined ? fault === undefined && <Skeleton /> : children(data)}
    </>
  )
}
