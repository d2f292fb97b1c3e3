import { DataSection } from './data/data-section.tsx';
import { DevicesSection } from './devices/devices-section.tsx';

/** The sections at the end of the page, in a chunk of their own. */
export function LaterSections() {
  return (
    <>
      <DevicesSection />
      <DataSection />
    </>
  );
}
