import type { ComponentChildren } from 'preact'
import { Page } from '../../design/page.tsx'
import { Buttons, Fields } from './controls.tsx'
import { Overlays, States, Tables } from './parts.tsx'
import { Tokens } from './tokens.tsx'

/** The design system at a glance, for those who build screens. The built console does not contain it. */
export function DesignScreen() {
  return (
    <Page title="Design system">
      <Part title="Tokens">
        <Tokens />
      </Part>
      <Part title="Buttons">
        <Buttons />
      </Part>
      <Part title="Fields">
        <Fields />
      </Part>
      <Part title="Tables and tabs">
        <Tables />
      </Part>
      <Part title="States">
        <States />
      </Part>
      <Part title="Dialogs and toasts">
        <Overlays />
      </Part>
    </Page>
  )
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
