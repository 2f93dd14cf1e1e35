/** Whether this build is the viewer of an exported run; set by Vite. */
declare const __STILL__: boolean;
