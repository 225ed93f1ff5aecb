import type { ComponentType } from 'preact'
import lazy from 'preact-iso/lazy'
import { checkConnection, connection } from '../lib/connection.ts'
import { OutdatedScreen } from './not-found.tsx'

type Load = () => Promise<{ default: ComponentType }>

/** A screen, and how to load its code before it is shown. */
export type Screen = ComponentType & { preload: () => Promise<unknown> }

/** A screen whose code is loaded when it is first shown; while the connection is lost, it waits. */
export function screen(load: Load): Screen {
  return lazy(() => loadAgain(load))
}

async function loadAgain(load: Load): Promise<ComponentType> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return (await load()).default
    } catch {
      // After an update, the server no longer has the files of this page.
      if ((await checkConnection()) && isRepeated) return OutdatedScreen
      await connection.wait(undefined)
    }
  }
}
