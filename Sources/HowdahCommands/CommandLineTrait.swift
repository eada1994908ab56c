#if !(Full || Server || Browser || All || CommandLine)
#error(
    "The tool needs the trait CommandLine. Add it to traits: of the package dependency, or leave traits: out."
)
#endif
