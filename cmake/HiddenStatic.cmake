# Libraries whose only global names are perp_*, where the tools can hide the others.

# hidden_shared(TARGET): a shared library, by the linker's version script.
include(CheckLinkerFlag)
set(perp_map ${PROJECT_SOURCE_DIR}/src/perp.map)
check_linker_flag(C -Wl,--version-script=${perp_map} PERP_LINKER_HAS_VERSION_SCRIPT)
function(hidden_shared target)
  if(PERP_LINKER_HAS_VERSION_SCRIPT)
    target_link_options(${target} PRIVATE -Wl,--version-script=${perp_map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${perp_map})
  endif()
endfunction()

# hidden_static(TARGET OUTPUT_NAME PARTS): a static library, by objcopy.
#
# PARTS is a static library with every symbol. Its members become one relocatable object, in which
# objcopy makes all other names local. The command depends on the archive, not on the object files:
# the Makefile generators have no rule for another target's objects, but they have one for a target,
# and the archive is newer than each of its members. Without objcopy, or with Apple's linker, which
# has no --whole-archive, the members stay apart with all their names.
function(hidden_static target output parts)
  if(CMAKE_OBJCOPY AND NOT APPLE)
    set(members ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
    add_custom_command(
      OUTPUT ${members}
      COMMAND ${CMAKE_LINKER} -r -o ${members} --whole-archive $<TARGET_FILE:${parts}>
      COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=perp_* ${members}
      DEPENDS ${parts} COMMENT "Merging the objects of ${target}" VERBATIM)
  else()
    get_target_property(members ${parts} SOURCES)
  endif()
  add_library(${target} STATIC ${members})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C
                        EXPORT_NAME ${target})
endfunction()
