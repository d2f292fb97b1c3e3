import type { PreferenceChange, Preferences } from './preferences.ts';
import { PrivacySection } from './privacy/privacy-section.tsx';
import { SenderSection } from './senders/sender-section.tsx';

export interface LaterSectionsProps {
  /** null: the user has none. */
  readonly preferences: Preferences | null;
  readonly onChange: (change: PreferenceChange) => void;
}

/** The sections below the form, loaded after it. */
export function LaterSections({ preferences, onChange }: LaterSectionsProps) {
  return (
    <>
      {preferences && <PrivacySection preferences={preferences} onChange={onChange} />}
      <SenderSection />
    </>
  );
}
